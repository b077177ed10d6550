// What the HTTP server is in the middle of: its connections, and the answers that are not out yet. Only shutdown asks.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export class Connections {
  readonly #sockets = new Set<Socket>()
  /** In the order of their requests, so that pipelined ones can be told apart. */
  readonly #answers = new Set<ServerResponse>()
  readonly #listening = new WeakSet<ServerResponse>()
  #lastCall = false

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    const forget = this.#forget()
    // Before the router looks at the request: an answer may be written on the spot.
    server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
      this.#answers.add(answer)
      answer.once('close', forget)
      if (this.#lastCall) this.#makeLast(request.socket, answer)
    })
  }

  /** Answers that are not out yet, those for listeners included. */
  get open(): number {
    return this.#answers.size
  }

  /** Answers that somebody waits for. */
  get waiting(): number {
    let waiting = 0
    for (const answer of this.#answers) if (!this.#listening.has(answer)) waiting++
    return waiting
  }

  /** Connections between two requests: the next one may be on its way. */
  get resting(): number {
    const busy = new Set([...this.#answers].map(({ req }) => req.socket))
    return this.#sockets.size - busy.size
  }

  /** Marks an answer that lasts as long as its client listens, so that nobody waits for its end. */
  spare(answer: ServerResponse): void {
    this.#listening.add(answer)
  }

  /** From now on every answer says `Connection: close`, those of requests under way included. */
  beginLastCall(): void {
    this.#lastCall = true
    const last = new Map([...this.#answers].map((answer) => [answer.req.socket, answer]))
    for (const answer of last.values()) if (!answer.headersSent) answer.shouldKeepAlive = false
  }

  /** The answers that nobody has begun to write. */
  unanswered(): ServerResponse[] {
    return [...this.#answers].filter((answer) => !answer.headersSent)
  }

  /** Where requests were pipelined, an earlier answer must not take the connection away from the last. */
  #makeLast(socket: Socket, answer: ServerResponse): void {
    for (const earlier of this.#answers) {
      if (earlier === answer || earlier.req.socket !== socket || earlier.headersSent) continue
      earlier.shouldKeepAlive = true
      earlier.removeHeader('connection')
    }
    answer.shouldKeepAlive = false
  }

  /** One listener for all answers: a closure for each would cost every request. */
  #forget(): (this: ServerResponse) => void {
    const answers = this.#answers
    return function forget() {
      answers.delete(this)
    }
  }
}
