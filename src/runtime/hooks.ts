// The observers of a catalog, sorted by what they want, and the probe that follows one call. Both exist only while
// somebody watches.
import type { Call } from './outcome.ts'
import type { Clock, Log } from './context.ts'
import type { ToolCode } from './codes.ts'
import type { CallResult, EndEvent, ListEvent, PipelineObserver, StartEvent, StepName, SubjectKind } from './observe.ts'
import { readTraceContext } from './trace-context.ts'
import type { Effect } from './tool.ts'

const NAME_CHARS_MAX = 128

/** What the end of a call was, gathered by the steps. */
export interface EndNote {
  readonly outcome: CallResult
  readonly code?: ToolCode
  readonly isError?: boolean
  readonly bytes?: number
  readonly incident?: string
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

export interface ProbeTarget {
  readonly kind: SubjectKind
  readonly server: string
  readonly via?: string | undefined
  readonly name: string
  readonly effect: Effect | undefined
  readonly middlewares: number
}

export class Hooks {
  readonly clock: Clock
  readonly log: Log
  readonly starts: readonly PipelineObserver[]
  readonly steps: readonly PipelineObserver[]
  readonly ends: readonly PipelineObserver[]
  readonly lates: readonly PipelineObserver[]
  readonly lists: readonly PipelineObserver[]
  #calls = 0

  constructor(observers: readonly PipelineObserver[], clock: Clock, log: Log) {
    this.clock = clock
    this.log = log
    this.starts = observers.filter((observer) => observer.onStart !== undefined)
    this.steps = observers.filter((observer) => observer.onStep !== undefined)
    this.ends = observers.filter((observer) => observer.onEnd !== undefined)
    this.lates = observers.filter((observer) => observer.onLate !== undefined)
    this.lists = observers.filter((observer) => observer.onList !== undefined)
  }

  probe(call: Call, target: ProbeTarget): Probe {
    this.#calls++
    return new Probe(this, this.#calls, call, target)
  }

  listed(event: Omit<ListEvent, 'at'>): void {
    const { caller, mount, bytes, directBytes } = event
    const whole = { at: this.clock.now(), caller, mount, bytes, directBytes }
    this.tell(this.lists, (observer) => observer.onList?.(whole))
  }

  monotonicMs(): number {
    const { clock } = this
    return clock.monotonicMs === undefined ? clock.now() : clock.monotonicMs()
  }

  /** An observer that fails is logged and never harms the call or the other observers. */
  tell(observers: readonly PipelineObserver[], tell: (observer: PipelineObserver) => void): void {
    for (const observer of observers) {
      try {
        tell(observer)
      } catch (error) {
        this.log.error({ err: error, observer: observer.id }, 'an observer failed')
      }
    }
  }
}

export class Probe {
  readonly #hooks: Hooks
  readonly #start: StartEvent
  readonly #startedMs: number
  #stepMs: number
  #ended = false

  constructor(hooks: Hooks, callId: number, call: Call, target: ProbeTarget) {
    this.#hooks = hooks
    this.#startedMs = hooks.monotonicMs()
    this.#stepMs = this.#startedMs
    this.#start = {
      callId,
      at: hooks.clock.now(),
      caller: call.caller,
      session: call.session,
      kind: target.kind,
      server: target.server,
      via: target.via,
      tool: target.name.length <= NAME_CHARS_MAX ? target.name : target.name.slice(0, NAME_CHARS_MAX).toWellFormed(),
      effect: target.effect,
      middlewares: target.middlewares,
      trace: call.meta === undefined ? undefined : readTraceContext(call.meta),
    }
    if (hooks.starts.length > 0) hooks.tell(hooks.starts, (observer) => observer.onStart?.(this.#start))
  }

  /** Whether sizes are worth counting. */
  get measures(): boolean {
    return this.#hooks.ends.length > 0
  }

  step(step: StepName, ok: boolean): void {
    if (this.#hooks.steps.length === 0 || this.#ended) return
    const now = this.#hooks.monotonicMs()
    const { callId, server, tool } = this.#start
    const event = { callId, server, tool, step, ok, durationMs: now - this.#stepMs }
    this.#stepMs = now
    this.#hooks.tell(this.#hooks.steps, (observer) => observer.onStep?.(event))
  }

  end(note: EndNote): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#hooks.ends.length === 0) return
    const { callId, at, caller, session, kind, server, via, tool, effect, middlewares, trace } = this.#start
    const event: EndEvent = {
      callId,
      at,
      caller,
      session,
      kind,
      server,
      via,
      tool,
      effect,
      middlewares,
      trace,
      outcome: note.outcome,
      code: note.code,
      blame: blameOf(note.code),
      isError: note.isError ?? false,
      bytes: note.bytes ?? 0,
      durationMs: this.#hooks.monotonicMs() - this.#startedMs,
      incident: note.incident,
      attributes: note.attributes,
    }
    this.#hooks.tell(this.#hooks.ends, (observer) => observer.onEnd?.(event))
  }

  late(ok: boolean): void {
    const { kind, server, tool } = this.#start
    this.#hooks.tell(this.#hooks.lates, (observer) => observer.onLate?.({ kind, server, tool, ok }))
  }
}

/** Model mistakes and refusals are the caller's; only what the gateway could not do is the system's. */
function blameOf(code: ToolCode | undefined): 'caller' | 'system' | undefined {
  if (code === undefined) return undefined
  return code === 'INTERNAL_ERROR' || code === 'TIMEOUT' || code === 'SERVER_BUSY' || code === 'UNAVAILABLE'
    ? 'system'
    : 'caller'
}
