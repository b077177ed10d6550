// All 2025-era sessions of the process: who may open one, which one has to go, and when an abandoned one is ended.
import { randomUUID } from 'node:crypto'
import type { Change, ChangeBus } from '../runtime/bus.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { Session, type SessionTransport } from './session.ts'

export interface SessionBounds {
  readonly max: number
  readonly perCallerMax: number
  /** A session without calls, streams or requests for this long is ended. In milliseconds. */
  readonly idleMs: number
}

/** A session that ran something within this time is not taken away to make room, in milliseconds. */
const ACTIVE_MS = 5_000
const SWEEP_MS = { min: 250, max: 30_000 }

/** Who opens a session. */
type Opener = Pick<Caller, 'id' | 'profile'>

export interface SessionsOptions {
  readonly bounds: SessionBounds
  readonly now: () => number
  readonly bus: ChangeBus
  /** Whether anything this caller once showed could still let them in. */
  readonly isWelcome: (callerId: string) => boolean
  readonly onError: (error: unknown) => void
}

export class Sessions {
  readonly #bounds: SessionBounds
  readonly #now: () => number
  readonly #isWelcome: (callerId: string) => boolean
  readonly #onError: (error: unknown) => void
  readonly #sessions = new Map<string, Session>()
  readonly #unsubscribe: () => void
  #sweep: NodeJS.Timeout | undefined

  constructor(options: SessionsOptions) {
    this.#bounds = options.bounds
    this.#now = options.now
    this.#isWelcome = options.isWelcome
    this.#onError = options.onError
    this.#unsubscribe = options.bus.on((change) => this.#tell(change))
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Makes room if need be. @returns the new session, or undefined when everything that is open is in use */
  open(served: CompiledServer, { id: callerId, profile }: Opener, transport: SessionTransport): Session | undefined {
    if (!this.#makeRoom(callerId)) return undefined
    const session = new Session({ id: randomUUID(), served, callerId, transport, profile, now: this.#now() })
    this.#sessions.set(session.id, session)
    this.#sweep ??= this.#startSweep()
    return session
  }

  /** The live session of this caller on this server. Somebody else's is as unknown as one that never was. */
  find(id: string, serverId: string, callerId: string, transport: SessionTransport): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || session.callerId !== callerId || session.serverId !== serverId) return undefined
    if (session.transport !== transport) return undefined
    session.usedAt = this.#now()
    return session
  }

  /** What the audit trail calls a session of this caller, which does not count as use of it. */
  markOf(id: string, callerId: string): string | undefined {
    const session = this.#sessions.get(id)
    return session?.callerId === callerId ? session.mark : undefined
  }

  /** Ends a session: its streams, its calls, its timers. Harmless when it is gone already. */
  end(session: Session): Promise<void> {
    if (!this.#sessions.delete(session.id)) return Promise.resolve()
    if (this.#sessions.size === 0) this.#stopSweep()
    return session.close().catch(this.#onError)
  }

  /** Ends the sessions of callers that may not come in any more, at once: something was revoked. */
  dismiss(): void {
    const isWelcome = this.#oncePerCaller()
    for (const session of this.#sessions.values()) if (!isWelcome(session.callerId)) void this.end(session)
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.#unsubscribe()
    await Promise.all([...this.#sessions.values()].map((session) => this.end(session)))
    this.#stopSweep()
  }

  /**
   * Ends what nobody has used for the idle time, and what belongs to nobody who may come back: their token has expired, or
   * was revoked while the session was being opened. A call that was let in is answered first. Runs by itself; a test may
   * call it.
   */
  sweep(): void {
    const oldest = this.#now() - this.#bounds.idleMs
    const isWelcome = this.#oncePerCaller()
    for (const session of this.#sessions.values()) {
      const isIdle = session.streams === 0 && session.usedAt < oldest
      if (session.calls === 0 && (isIdle || !isWelcome(session.callerId))) void this.end(session)
      else if (session.open) session.peer.prune?.()
    }
  }

  #oncePerCaller(): (callerId: string) => boolean {
    const answers = new Map<string, boolean>()
    return (callerId) => {
      const answer = answers.get(callerId) ?? this.#isWelcome(callerId)
      answers.set(callerId, answer)
      return answer
    }
  }

  #makeRoom(callerId: string): boolean {
    const own = this.#count(callerId)
    if (own >= this.#bounds.perCallerMax && !this.#evict(callerId)) return false
    return this.#sessions.size < this.#bounds.max || this.#evict(undefined)
  }

  #count(callerId: string): number {
    let count = 0
    for (const session of this.#sessions.values()) if (session.callerId === callerId) count++
    return count
  }

  /** Takes the session that has been idle longest, those without an open stream first; never one at work. */
  #evict(callerId: string | undefined): boolean {
    const newestCall = this.#now() - ACTIVE_MS
    let victim: Session | undefined
    for (const session of this.#sessions.values()) {
      if (callerId !== undefined && session.callerId !== callerId) continue
      if (session.calls > 0 || session.calledAt > newestCall) continue
      if (victim === undefined || idlerThan(session, victim)) victim = session
    }
    if (victim === undefined) return false
    void this.end(victim)
    return true
  }

  #tell(change: Change): void {
    for (const session of this.#sessions.values()) session.tell(change).catch(this.#onError)
  }

  #startSweep(): NodeJS.Timeout {
    const everyMs = Math.min(Math.max(this.#bounds.idleMs / 4, SWEEP_MS.min), SWEEP_MS.max)
    return setInterval(() => this.sweep(), everyMs).unref()
  }

  #stopSweep(): void {
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}

function idlerThan(one: Session, other: Session): boolean {
  if ((one.streams === 0) !== (other.streams === 0)) return one.streams === 0
  return one.usedAt < other.usedAt
}
