// Foreign tools: a snapshot for each kind of access, replaced whole when the source's epoch moves. A call in flight keeps the
// tool it was resolved to.
import { Recent } from '../lib/recent.ts'
import type { Reach } from './areas.ts'
import type { ToolPlace } from './compile.ts'
import type { CompiledTool } from './compiled.ts'
import type { Caller } from './context.ts'
import { compileForeign, type Guards } from './foreign-tool.ts'
import { KeyedMutex } from './guards/keyed-mutex.ts'
import { Semaphore } from './guards/semaphore.ts'
import { resolveLimits } from './limits.ts'
import type { ToolSource } from './source.ts'

export interface ForeignTools {
  readonly epoch: number
  list(caller: Caller): readonly CompiledTool[]
  find(name: string, caller: Caller): CompiledTool | undefined
  /** Of every tool that is listed or still runs. */
  guards(): readonly Guards[]
}

/** Kinds of access whose tools are kept. */
const SNAPSHOTS_MAX = 32

interface Snapshot {
  readonly epoch: number
  readonly tools: readonly CompiledTool[]
  readonly byName: ReadonlyMap<string, CompiledTool>
}

export function foreignTools(source: ToolSource, place: ToolPlace, reach: Reach): ForeignTools {
  const snapshots = new Recent<string, Snapshot>(SNAPSHOTS_MAX)
  // What a call costs: callers are objects that stay while their token is known.
  let byCaller = new WeakMap<Caller, Snapshot>()
  const guards = new GuardBook()
  const limitsOf = (name: string) =>
    resolveLimits(`source ${source.id}`, place.globalLimits, place.serverLimits, source.limitsOf?.(name))
  const make = (caller: Caller): Snapshot => {
    const { epoch } = source
    const tools = source.list(caller).map((definition) => {
      const limits = limitsOf(definition.name)
      return compileForeign({ source, definition, place, limits, guards: guards.of(definition.name, limits) })
    })
    const byName = new Map(tools.flatMap((tool) => [[tool.publicName, tool] as const, [tool.name, tool] as const]))
    return { epoch, tools, byName }
  }
  let epochKept = source.epoch
  const snapshotFor = (caller: Caller): Snapshot => {
    const last = byCaller.get(caller)
    if (last !== undefined && last.epoch === source.epoch) return last
    if (epochKept !== source.epoch) {
      epochKept = source.epoch
      snapshots.clear()
      byCaller = new WeakMap()
    }
    const key = reach.key(caller)
    let snapshot = snapshots.get(key)
    if (snapshot === undefined) {
      snapshot = make(caller)
      snapshots.set(key, snapshot)
      guards.forget((name) => [...snapshots.values()].some(({ byName }) => byName.has(name)))
    }
    byCaller.set(caller, snapshot)
    return snapshot
  }
  return {
    get epoch() {
      return source.epoch
    },
    list: (caller) => snapshotFor(caller).tools,
    find: (name, caller) => snapshotFor(caller).byName.get(name),
    guards: () => guards.all(),
  }
}

class GuardBook {
  readonly #guards = new Map<string, Guards>()

  of(name: string, { activeMax, queueMax }: CompiledTool['limits']): Guards {
    const known = this.#guards.get(name)
    if (known !== undefined) return known
    const made = { semaphore: new Semaphore(activeMax, queueMax), mutex: new KeyedMutex(queueMax) }
    this.#guards.set(name, made)
    return made
  }

  forget(isListed: (name: string) => boolean): void {
    for (const [name, each] of this.#guards) if (isIdle(each) && !isListed(name)) this.#guards.delete(name)
  }

  all(): readonly Guards[] {
    return [...this.#guards.values()]
  }
}

function isIdle({ semaphore, mutex }: Guards): boolean {
  return semaphore.active + semaphore.waiting + semaphore.abandoned + mutex.heldCount === 0
}
