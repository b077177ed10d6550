// A keep-alive HTTP/1.1 connection that costs the client little, so that two cores measure the server. One request at a time.
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const TIMEOUT_MS = 30_000

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

export class Connection {
  readonly #socket: Socket
  #buffer: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('connection closed')))
  }

  static async open(port: number): Promise<Connection> {
    return await new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port }, () => {
        socket.off('error', reject)
        resolve(new Connection(socket))
      })
      socket.once('error', reject)
    })
  }

  /** Sends a whole request and resolves with its answer. Rejects when the connection ends first. */
  async send(request: string | Buffer): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }

  #receive(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk])
    const headEnd = this.#buffer.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = this.#buffer.toString('latin1', 0, headEnd)
    const body = bodyOf(head, this.#buffer.subarray(headEnd + HEAD_END.length))
    if (body === undefined) return
    this.#buffer = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body })
  }
}

/** The body once it is complete, undefined until then. Our server sends a length or chunks. */
function bodyOf(head: string, bytes: Buffer): string | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= Number(length) ? bytes.toString('utf8') : undefined
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return ''
  return bytes.includes('0\r\n\r\n') ? unchunk(bytes) : undefined
}

function unchunk(bytes: Buffer): string | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(parts).toString('utf8')
    if (bytes.length < lineEnd + 2 + size + 2) return undefined
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
