// What all calls of one catalog share: clock, ids, log, observers, deadlines, kept rests and sealed state.
import { createIds } from '../lib/ids.ts'
import { systemClock } from '../lib/time.ts'
import { createBus, type ChangeBus } from './bus.ts'
import type { Clock, ContextFactory, Ids, Log, Searchable } from './context.ts'
import { Deadlines } from './deadlines.ts'
import { Hooks } from './hooks.ts'
import type { PipelineObserver } from './observe.ts'
import { defaultRestLimits, RestStore, type RestLimits } from './rests.ts'
import { createSeal, type Seal } from './seal.ts'
import { createSpentTokens, type SpentTokens } from './spent.ts'

/** Who confirms what destroys: the person through the client where it can ask, the two-call token, or nobody. */
export type ConfirmMode = 'elicit' | 'token' | 'off'

export interface EngineOptions {
  /** Without it, `ctx.db` is an error that names this option. */
  readonly context?: ContextFactory
  readonly observers?: readonly PipelineObserver[]
  readonly confirm?: ConfirmMode
  readonly clock?: Clock
  readonly ids?: Ids
  readonly log?: Log
  readonly bus?: ChangeBus
  /** 32 bytes. Processes that share it accept each other's confirmations and input states. */
  readonly stateKey?: Uint8Array
  readonly spent?: SpentTokens
  readonly rests?: Partial<RestLimits>
  /** A handler that ignores its abort keeps its slot this much longer, in milliseconds. Default 500. */
  readonly abandonedGraceMs?: number
  /** The key of a writer that ignores its abort is given to the next one after this, in milliseconds. Default 30,000. */
  readonly lockHoldMs?: number
}

export interface Engine {
  readonly context: ContextFactory | undefined
  readonly confirm: ConfirmMode
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly bus: ChangeBus
  readonly seal: Seal
  readonly spent: SpentTokens
  readonly rests: RestStore
  readonly deadlines: Deadlines
  readonly abandonedGraceMs: number
  readonly lockHoldMs: number
  readonly searchables: readonly Searchable[]
  /** Undefined while nobody observes. */
  readonly hooks: Hooks | undefined
  observe(observer: PipelineObserver): () => void
}

const GRACE_MS = 500
const LOCK_HOLD_MS = 30_000

const silent: Log = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing })
function nothing(): void {
  return undefined
}

export function createEngine(options: EngineOptions, searchables: readonly Searchable[]): Engine {
  const clock = options.clock ?? systemClock
  const log = options.log ?? silent
  const observers = new Set(options.observers)
  const hooksNow = () => (observers.size === 0 ? undefined : new Hooks([...observers], clock, log))
  let hooks = hooksNow()
  return {
    context: options.context,
    confirm: options.confirm ?? 'elicit',
    clock,
    ids: options.ids ?? createIds(clock),
    log,
    bus: options.bus ?? createBus((error) => log.error({ err: error }, 'a change listener failed')),
    seal: createSeal(options.stateKey),
    spent: options.spent ?? createSpentTokens(),
    rests: new RestStore({ ...defaultRestLimits, ...options.rests }),
    deadlines: new Deadlines(),
    abandonedGraceMs: options.abandonedGraceMs ?? GRACE_MS,
    lockHoldMs: options.lockHoldMs ?? LOCK_HOLD_MS,
    searchables,
    get hooks() {
      return hooks
    },
    observe(observer) {
      observers.add(observer)
      hooks = hooksNow()
      return () => {
        observers.delete(observer)
        hooks = hooksNow()
      }
    },
  }
}
