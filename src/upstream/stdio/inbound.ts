// What the other side asks of us: answered once, or never where it took the question back.
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { RpcError, type Era, type JsonObject, type LinkHandlers } from '../link.ts'
import type { Notes } from './notes.ts'

/** Questions of one server at a time. */
const ASKED_MAX = 64
/** All that a server may ask of a client; the family without sessions asks nothing. */
const ASKABLE: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

export type RpcId = string | number

export interface InboundOptions {
  readonly handlers: LinkHandlers
  readonly send: (text: string) => void
  readonly notes: Notes
  readonly era: () => Era
}

export class Inbound {
  readonly #options: InboundOptions
  readonly #asked = new Map<RpcId, AbortController>()

  constructor(options: InboundOptions) {
    this.#options = options
  }

  ask(id: RpcId, method: string, params: JsonObject): void {
    const { handlers, notes, era } = this.#options
    if (method === 'ping') return this.#answer(id, { result: {} })
    if (this.#asked.has(id)) return notes.say('debug', 'a question with the id of one that is still open was ignored')
    if (era() === '2026' || !ASKABLE.has(method)) return this.#refuse(id, RPC_CODE.methodNotFound, 'Method not found')
    if (this.#asked.size >= ASKED_MAX) return this.#refuse(id, RPC_CODE.refused, 'Too many questions are open')
    const asking = new AbortController()
    this.#asked.set(id, asking)
    handlers.onRequest(method, params, asking.signal).then(
      (result) => this.#settle(id, asking, { result }),
      (error: unknown) => this.#settle(id, asking, { error: faultOf(error) }),
    )
  }

  cancel(id: unknown, reason: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    const asking = this.#asked.get(id)
    this.#asked.delete(id)
    asking?.abort(new Error(typeof reason === 'string' ? reason.slice(0, 200) : 'taken back by the server'))
  }

  /** The connection is over. */
  clear(reason: Error): void {
    for (const asking of this.#asked.values()) asking.abort(reason)
    this.#asked.clear()
  }

  #settle(id: RpcId, asking: AbortController, answer: object): void {
    if (this.#asked.get(id) !== asking) return
    this.#asked.delete(id)
    this.#answer(id, answer)
  }

  #refuse(id: RpcId, code: number, message: string): void {
    this.#answer(id, { error: { code, message } })
  }

  #answer(id: RpcId, answer: object): void {
    this.#options.send(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
  }
}

function faultOf(error: unknown): object {
  if (!(error instanceof RpcError)) return { code: RPC_CODE.internal, message: 'Internal error' }
  const { code, message, data } = error
  return { code, message, ...(data === undefined ? {} : { data }) }
}
