// Closed-loop load over HTTP+SSE (2024-11-05): requests are posted, answers come on the one stream of the session.
import { connect, type Socket } from 'node:net'
import { Connection } from '../http/connection.ts'
import type { LoadResult } from '../http/load.ts'
import type { RpcCall } from '../http/requests.ts'

const TIMEOUT_MS = 30_000

interface Stream {
  readonly socket: Socket
  /** Where messages go. */
  readonly endpoint: string
  readonly waiting: Map<number, (message: string) => void>
}

async function openStream(port: number, path: string): Promise<Stream> {
  const socket = connect({ host: '127.0.0.1', port })
  const waiting = new Map<number, (message: string) => void>()
  socket.setNoDelay(true)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`)
  let rest = ''
  const endpoint = await new Promise<string>((resolve, reject) => {
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no event came')))
    socket.once('error', reject)
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      rest += chunk
      const end = rest.lastIndexOf('\n')
      for (const line of rest.slice(0, end + 1).split('\n')) {
        if (!line.startsWith('data: ')) continue
        const data = line.slice('data: '.length).trim()
        if (data.startsWith('/')) resolve(data)
        const id = /"id":(\d+)/.exec(data)?.[1]
        if (id === undefined) continue
        waiting.get(Number(id))?.(data)
        waiting.delete(Number(id))
      }
      rest = rest.slice(end + 1)
    })
  })
  return { socket, endpoint, waiting }
}

function post(port: number, path: string, message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  const head = [`POST ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, 'content-type: application/json']
  return [...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
}

export class SseSession {
  readonly #port: number
  readonly #stream: Stream

  private constructor(port: number, stream: Stream) {
    this.#port = port
    this.#stream = stream
  }

  static async open(port: number, path: string): Promise<SseSession> {
    const session = new SseSession(port, await openStream(port, path))
    const connection = await Connection.open(port)
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
    await session.#call(connection, { id: 0, method: 'initialize', params })
    await connection.send(post(port, session.#stream.endpoint, { method: 'notifications/initialized' }))
    connection.close()
    return session
  }

  async #call(connection: Connection, call: RpcCall): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#stream.waiting.set(call.id, resolve))
    await connection.send(post(this.#port, this.#stream.endpoint, call))
    return await answered
  }

  /** Every call needs an id of its own for the life of the session. */
  async load(concurrency: number, calls: readonly RpcCall[]): Promise<LoadResult> {
    const connections = await Promise.all(Array.from({ length: concurrency }, () => Connection.open(this.#port)))
    const latencies: number[] = []
    let next = 0
    let errors = 0
    let firstError: string | undefined
    const startedAt = performance.now()
    await Promise.all(
      connections.map(async (connection) => {
        for (let call = calls[next++]; call !== undefined; call = calls[next++]) {
          const sentAt = performance.now()
          const answer = await this.#call(connection, call)
          latencies.push(performance.now() - sentAt)
          if (answer.includes(`Echo: m${call.id}`)) continue
          errors++
          firstError ??= answer.slice(0, 300)
        }
      }),
    )
    const elapsedMs = performance.now() - startedAt
    for (const connection of connections) connection.close()
    return { requests: calls.length, errors, firstError, elapsedMs, latencies: latencies.toSorted((a, b) => a - b) }
  }

  close(): void {
    this.#stream.socket.destroy()
  }
}
