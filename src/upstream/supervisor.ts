// One connection to a source: started when somebody needs it, started again when it ended, stopped when nobody has used it
// for long. Whoever needs it while it starts waits in a bounded queue.
import { toError } from '../lib/thrown.ts'
import { goneFault, openFault, startFault } from './faults.ts'
import type { Health } from './health.ts'
import type { HubLimits } from './limits.ts'
import { LinkFailure, type Link, type LinkEnd } from '../lib/link.ts'
import type { Timers } from './timers.ts'
import { WaitingRoom } from './waiting-room.ts'

export type Phase = 'idle' | 'starting' | 'ready' | 'backoff' | 'open-circuit' | 'stopping' | 'stopped'

export interface Supervised {
  readonly title: string
  /** @throws LinkFailure, or the reason of `signal` */
  open(signal: AbortSignal): Promise<Link>
  /** 0 for never. */
  readonly idleMs: number
  /** Whether to start it although no call waits for it: it was in use, or it has never told what it has. */
  wanted(): boolean
  /** Before those who wait go on. */
  onReady?(link: Link): void
  /** It ended, or did not start. */
  onEnd?(end: LinkEnd): void
}

export interface SupervisorTools {
  readonly health: Health
  readonly timers: Timers
  readonly limits: Pick<HubLimits, 'waitersMax' | 'waitMs'>
}

export class Supervisor {
  readonly #what: Supervised
  readonly #tools: SupervisorTools
  readonly #waiting: WaitingRoom<undefined, Link>
  #phase: Phase = 'idle'
  #link: Link | undefined
  #since = 0
  #lastUse: number
  #uses = 0
  #starting: AbortController | undefined
  #attempt: Promise<void> = Promise.resolve()
  #cancelTimer: (() => void) | undefined

  constructor(what: Supervised, tools: SupervisorTools) {
    this.#what = what
    this.#tools = tools
    this.#lastUse = tools.timers.now()
    this.#waiting = new WaitingRoom({ title: what.title, ...tools })
  }

  get phase(): Phase {
    return this.#phase
  }
  /** There while it can be used at once. */
  get link(): Link | undefined {
    return this.#link
  }
  /** Calls and listeners that need it. */
  get uses(): number {
    return this.#uses
  }
  get waiting(): number {
    return this.#waiting.size
  }
  get lastUse(): number {
    return this.#lastUse
  }

  use(): void {
    this.#uses++
  }
  letGo(): void {
    this.#uses--
    this.#lastUse = this.#tools.timers.now()
  }

  /**
   * The connection, started where there is none.
   * @throws ToolFault that says why there is none; the reason of `signal`
   */
  whenReady(signal?: AbortSignal): Promise<Link> {
    if (this.#link !== undefined) return Promise.resolve(this.#link)
    if (this.#phase === 'stopped') return Promise.reject(goneFault(this.#what.title))
    const ready = this.#waiting.enter(undefined, signal)
    if (this.#waiting.size > 0) this.#advance()
    return ready
  }

  /** Ends it for good. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#phase = 'stopped'
    this.#disarm()
    this.#waiting.refuseAll(goneFault(this.#what.title))
    this.#starting?.abort(new Error('It is not wanted any more.'))
    const link = this.#link
    this.#link = undefined
    await this.#attempt
    await link?.close()
  }

  /** Starts, waits or refuses, as the health of the source has it. */
  #advance(): void {
    if (this.#phase !== 'idle' && this.#phase !== 'backoff' && this.#phase !== 'open-circuit') return
    this.#disarm()
    const verdict = this.#tools.health.verdict()
    if (verdict.kind === 'go') return this.#start()
    const isOpen = verdict.kind === 'open'
    this.#phase = isOpen ? 'open-circuit' : 'backoff'
    if (isOpen) this.#waiting.refuseAll(openFault(this.#what.title, verdict.reason, verdict.ms))
    this.#cancelTimer = this.#tools.timers.later(verdict.ms, () => this.#lookAgain())
  }

  #lookAgain(): void {
    if (this.#waiting.size > 0 || this.#what.wanted()) this.#advance()
    else if (this.#phase === 'backoff' || this.#phase === 'open-circuit') this.#phase = 'idle'
  }

  #start(): void {
    this.#phase = 'starting'
    this.#tools.health.begun()
    const controller = new AbortController()
    this.#starting = controller
    this.#attempt = this.#what.open(controller.signal).then(
      (link) => this.#started(link, controller.signal),
      (error: unknown) => this.#failed(error, controller.signal),
    )
  }

  async #started(link: Link, { aborted }: AbortSignal): Promise<void> {
    const { health, timers } = this.#tools
    health.ready()
    if (aborted) return link.close()
    this.#link = link
    this.#phase = 'ready'
    this.#since = timers.now()
    this.#lastUse = this.#since
    this.#armIdle()
    void link.closed.then((end) => this.#ended(link, end))
    this.#what.onReady?.(link)
    for (const waiting of this.#waiting) waiting.give(link)
  }

  #failed(error: unknown, { aborted }: AbortSignal): void {
    const { health } = this.#tools
    if (aborted) return health.abandoned()
    const end = error instanceof LinkFailure ? error.end : { reason: toError(error).message, wanted: false }
    health.failed(end.reason)
    this.#phase = 'idle'
    this.#what.onEnd?.(end)
    this.#waiting.refuseAll(startFault(this.#what.title, end.reason))
    if (this.#what.wanted()) this.#advance()
  }

  #ended(link: Link, end: LinkEnd): void {
    const isOurs = end.wanted || end.unheard === true
    this.#tools.health.ended(this.#tools.timers.now() - this.#since, isOurs ? undefined : end.reason)
    if (this.#link !== link) return
    this.#link = undefined
    this.#phase = 'idle'
    this.#disarm()
    this.#what.onEnd?.(end)
    if (this.#waiting.size > 0 || (!end.wanted && this.#what.wanted())) this.#advance()
  }

  /** One timer for as long as it lives, not one for each call. */
  #armIdle(ms = this.#what.idleMs): void {
    if (ms === 0) return
    this.#cancelTimer = this.#tools.timers.later(ms, () => {
      const left = this.#lastUse + this.#what.idleMs - this.#tools.timers.now()
      if (this.#uses > 0) this.#armIdle()
      else if (left > 0) this.#armIdle(left)
      else void this.rest()
    })
  }

  /** Ends it until somebody needs it again. */
  async rest(): Promise<void> {
    const link = this.#link
    if (link === undefined || this.#phase !== 'ready') return
    this.#phase = 'stopping'
    this.#link = undefined
    this.#disarm()
    this.#attempt = link.close()
    await this.#attempt
    if (this.isStopped) return
    this.#phase = 'idle'
    if (this.#waiting.size > 0) this.#advance()
  }

  get isStopped(): boolean {
    return this.#phase === 'stopped'
  }

  #disarm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }
}
