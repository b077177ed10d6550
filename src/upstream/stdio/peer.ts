// JSON-RPC 2.0 with one other side, over lines of text: what we ask and what comes of it, and what comes unasked.
import { isRecord, objectOf } from '../../lib/json.ts'
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { toError } from '../../lib/thrown.ts'
import { LinkFailure, LinkTimeout, RpcError, type Era, type JsonObject, type LinkEnd } from '../link.ts'
import type { LinkHandlers, OpenOptions, RequestOptions } from '../link.ts'
import { paramsText } from './envelope.ts'
import { Inbound } from './inbound.ts'
import { inertLine, Notes } from './notes.ts'
import { PendingTable, type GivenUp, type Waiting } from './pending.ts'

const BRACE = 0x7b
const BRACKET = 0x5b

export interface PeerOptions {
  /** @returns false where the other side has left too much unread */
  readonly write: (text: string, together: boolean) => boolean
  readonly handlers: LinkHandlers
  readonly note: OpenOptions['note']
}

export interface OwnOptions extends RequestOptions {
  /** Asked by the link for itself: not counted as a call. */
  readonly own?: boolean
}

export class Peer {
  era: Era = '2025'
  readonly notes: Notes
  readonly #write: PeerOptions['write']
  readonly #handlers: LinkHandlers
  readonly #inbound: Inbound
  readonly #pending = new PendingTable((waiting, why) => this.#givenUp(waiting, why))
  #end: LinkEnd | undefined

  constructor({ write, handlers, note }: PeerOptions) {
    this.#write = write
    this.#handlers = handlers
    this.notes = new Notes(note)
    const send = (text: string): void => this.#send(text)
    this.#inbound = new Inbound({ handlers, notes: this.notes, send, era: () => this.era })
  }

  get pending(): number {
    return this.#pending.size
  }

  /** As `Link.request`. */
  request(method: string, params: JsonObject, options: OwnOptions): Promise<JsonObject> {
    const { signal, timeoutMs, totalMs = Infinity, onProgress, own = false } = options
    if (this.#end !== undefined) return Promise.reject(new LinkFailure(this.#end))
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const waiting = this.#pending.add({ method, timeoutMs, totalMs, onProgress, signal, counts: !own })
    try {
      const progressToken = onProgress === undefined ? undefined : waiting.id
      const text = paramsText(params, this.era, { progressToken, capabilities: options.capabilities })
      this.#ask(waiting, `{"jsonrpc":"2.0","id":${waiting.id},"method":${JSON.stringify(method)},"params":${text}}\n`)
    } catch (error) {
      if (this.#pending.remove(waiting)) waiting.reject(error)
    }
    return waiting.answered
  }

  notify(method: string, params?: JsonObject): void {
    const rest = params === undefined ? '' : `,"params":${JSON.stringify(params)}`
    this.#send(`{"jsonrpc":"2.0","method":${JSON.stringify(method)}${rest}}\n`)
  }

  /** One line that came. */
  take(line: string): void {
    const first = line.charCodeAt(0)
    if (first !== BRACE && first !== BRACKET) return this.#noise(line)
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch (error) {
      return this.#noise(line, toError(error).message)
    }
    if (Array.isArray(message)) for (const each of message) this.#dispatch(each, line)
    else this.#dispatch(message, line)
  }

  /** The connection is over: all that waits fails. */
  end(end: LinkEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    const failure = new LinkFailure(end)
    this.#pending.clear(failure)
    this.#inbound.clear(failure)
  }

  #ask(waiting: Waiting, text: string): void {
    if (this.#write(text, this.#pending.size > 1)) return
    const reason = 'The server has stopped reading what it is sent.'
    if (this.#pending.remove(waiting)) waiting.reject(new LinkFailure({ reason, wanted: false }))
  }

  #send(text: string): void {
    if (this.#end !== undefined) return
    if (!this.#write(text, false)) this.notes.say('warn', 'a message was dropped: the server has stopped reading')
  }

  #dispatch(message: unknown, line: string): void {
    if (!isRecord(message) || message['jsonrpc'] !== '2.0') return this.#noise(line)
    const { id, method } = message
    try {
      if (method === undefined) this.#answered(id, message, line)
      else if (typeof method !== 'string') this.#noise(line)
      else if (id === undefined) this.#told(method, objectOf(message['params']))
      else if (typeof id === 'string' || typeof id === 'number')
        this.#inbound.ask(id, method, objectOf(message['params']))
      else this.#noise(line)
    } catch (error) {
      this.notes.say('warn', 'a message could not be handled', () => ({ err: toError(error) }))
    }
  }

  #answered(id: unknown, message: Readonly<Record<string, unknown>>, line: string): void {
    const number = ownId(id)
    const waiting = number === undefined ? undefined : this.#pending.get(number)
    if (waiting === undefined) return this.#unexpected(number, line)
    this.#pending.remove(waiting)
    const { result, error } = message
    if (isRecord(error)) waiting.reject(new RpcError(faultIn(error)))
    else if (isRecord(result)) waiting.resolve(result)
    else waiting.reject(new RpcError({ code: RPC_CODE.internal, message: 'The server answered without a result' }))
  }

  /** An answer to what was given up is due and dropped; one to what nobody asked is an oddity. */
  #unexpected(id: number | undefined, line: string): void {
    if (id === undefined || !this.#pending.wasGiven(id)) this.#noise(line, 'answers nothing that was asked')
  }

  #told(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') {
      const number = ownId(params['progressToken'])
      if (number !== undefined) this.#pending.get(number)?.progress(params)
    } else if (method === 'notifications/cancelled') this.#inbound.cancel(params['requestId'], params['reason'])
    else if (method !== 'notifications/subscriptions/acknowledged') this.#handlers.onNotification(method, params)
  }

  #givenUp({ id, options, reject }: Waiting, why: GivenUp): void {
    const late = why === 'late'
    // A server may not be told to stop its own start, and nobody waits for what a link asks for itself.
    if (options.method !== 'initialize' && options.method !== 'server/discover')
      this.notify('notifications/cancelled', {
        requestId: id,
        reason: late ? 'took too long' : 'cancelled by the caller',
      })
    reject(late ? new LinkTimeout(options.method, options.timeoutMs) : options.signal?.reason)
  }

  #noise(line: string, why = 'is no message'): void {
    this.notes.say('debug', 'a line of its standard output was ignored', () => ({ why, line: inertLine(line) }))
  }
}

/** One of our ids; a server that gives numbers back as text means the same. */
function ownId(id: unknown): number | undefined {
  if (typeof id === 'number') return id
  return typeof id === 'string' && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined
}

function faultIn(error: Readonly<Record<string, unknown>>): { code: number; message: string; data?: unknown } {
  const { code, message, data } = error
  return {
    code: typeof code === 'number' ? code : RPC_CODE.internal,
    message: typeof message === 'string' ? message : 'The server answered with an error',
    ...(data === undefined ? {} : { data }),
  }
}
