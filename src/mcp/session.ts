// One 2025-era session: whose it is, what runs in it, and when it was last of use to anybody.
import type { Server } from '@modelcontextprotocol/server'
import { sha256Hex } from '../lib/hashing.ts'
import { isRecord } from '../lib/json.ts'
import { toError } from '../lib/thrown.ts'
import { concerns, type Change } from '../runtime/bus.ts'
import type { ClientPlace } from '../runtime/client-place.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { RequestId } from './answer.ts'
import type { MessageLevel } from '../runtime/context.ts'
import { abilitiesOf } from './abilities.ts'
import { canElicit } from './envelope.ts'
import { tell } from './tell.ts'
import { Watches } from './watches.ts'

/** How a session is reached: Streamable HTTP, or the older pair of a stream and a path for messages. */
export type SessionTransport = 'streamable' | 'sse'

/** The SDK's half of a session. */
export interface SessionPeer {
  readonly server: Server
  /** Forgets what is kept for too long. */
  readonly prune?: () => void
}

export interface SessionFacts {
  readonly id: string
  readonly served: CompiledServer
  readonly callerId: string
  readonly transport: SessionTransport
  readonly profile: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

const MARK_CHARS = 16

export class Session {
  readonly id: string
  readonly serverId: string
  readonly callerId: string
  /** Stands for the session in the audit trail, where its id would be a key to it. */
  readonly mark: string
  readonly transport: SessionTransport
  readonly subscriptions: Watches
  /** Where its client said that it works when it opened the session. */
  place: ClientPlace | undefined
  /** The profile that its client's address named when it was opened. */
  readonly profile: string | undefined
  usedAt: number
  /** When a request last ran something, the handshake aside. */
  calledAt = -Infinity
  /** Calls that have not been answered. */
  calls = 0
  /** Event streams that a client holds open. */
  streams = 0
  readonly #served: CompiledServer
  #peer: SessionPeer | undefined
  #abilities: { readonly word: string | undefined } | undefined
  readonly #cancellable = new Map<RequestId, AbortController>()

  constructor({ id, served, callerId, transport, profile, now }: SessionFacts) {
    this.id = id
    this.serverId = served.id
    this.#served = served
    this.subscriptions = new Watches(served)
    this.callerId = callerId
    this.mark = sha256Hex(id).slice(0, MARK_CHARS)
    this.transport = transport
    this.profile = profile
    this.usedAt = now
  }

  /** @throws when the session has not been joined to the SDK yet, which is a bug */
  get peer(): SessionPeer {
    if (this.#peer === undefined) throw new Error(`session ${this.id} has no peer`)
    return this.#peer
  }

  set peer(peer: SessionPeer) {
    this.#peer = peer
  }

  /** Whether `initialize` has been answered. */
  get open(): boolean {
    return this.#peer?.server.getNegotiatedProtocolVersion() !== undefined
  }

  /** Whether forms can be put to the person behind this client. */
  get elicits(): boolean {
    const capabilities: unknown = this.#peer?.server.getClientCapabilities()
    return isRecord(capabilities) && canElicit(capabilities)
  }

  /** What the client can be asked, as it said when the session began. */
  get abilities(): string | undefined {
    this.#abilities ??= { word: abilitiesOf(this.#peer?.server.getClientCapabilities()) }
    return this.#abilities.word
  }

  /** A log message on the stream that the client holds open, if it does and wants messages of this level. */
  log(level: MessageLevel, data: unknown, logger?: string): void {
    if (this.streams === 0 || this.#peer === undefined) return
    const params = { level, data, ...(logger === undefined ? {} : { logger }) }
    const { server } = this.#peer
    const sessionId = this.transport === 'streamable' ? this.id : undefined
    // A stream that broke meanwhile has nobody left to be told.
    server.sendLoggingMessage(params, sessionId).catch((error: unknown) => server.onerror?.(toError(error)))
  }

  /** A signal for one call on the hot path, which `cancel` with the same id aborts. Made only when the call asks for it. */
  signalFor(id: RequestId): AbortSignal {
    const controller = new AbortController()
    this.#cancellable.set(id, controller)
    return controller.signal
  }

  /** How many signals are kept for calls that go on. */
  get cancellable(): number {
    return this.#cancellable.size
  }

  /** @returns whether the call had been cancelled; its answer is then nobody's */
  settle(id: RequestId): boolean {
    const controller = this.#cancellable.get(id)
    if (controller === undefined) return false
    this.#cancellable.delete(id)
    return controller.signal.aborted
  }

  /** Aborts a call on the hot path; the SDK knows only its own. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#cancellable.get(id)?.abort()
  }

  /** A call has ended: from here on the session counts as idle, however long the call took. */
  callEnded(now: number): void {
    this.calls--
    this.usedAt = now
  }

  /** Tells the client of a change, if it is one this client asked for. */
  async tell(change: Change): Promise<void> {
    if (!this.open || !concerns(change, this.#served)) return
    await tell(this.peer.server, change, (uri) => this.subscriptions.has(uri))
  }

  /** Ends streams, timers and calls. */
  async close(): Promise<void> {
    for (const controller of this.#cancellable.values()) controller.abort()
    this.#cancellable.clear()
    this.subscriptions.clear()
    await this.#peer?.server.close()
  }
}
