// All external servers as one source of tools, resources and prompts. Knows them from the database before any of them runs, starts
// them when they are needed, and follows the operator's settings without touching those that did not change.
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../db/client.ts'
import type { OpenLink } from '../lib/link.ts'
import type { ChangeBus } from '../runtime/bus.ts'
import type { Clock, Ids, Log } from '../runtime/context.ts'
import type { ToolSource } from '../runtime/source.ts'
import type { AskingCall } from './asking-call.ts'
import type { Saved } from './definitions.ts'
import { External, type ExternalTools } from './external.ts'
import { hubLimits, type HubLimits } from './limits.ts'
import type { Kind } from './lists.ts'
import type { LogLine } from './log-ring.ts'
import { ParkedCalls } from './parked.ts'
import { dropDefinitions, findDefinitions, findSources, markOfDefinitions, putDefinitions } from './queries.ts'
import { sourceOver, SOURCE_ID } from './source.ts'
import type { SourceSpec, SpecList } from './spec.ts'
import { StartGate } from './start-gate.ts'
import { systemTimers, type Timers } from './timers.ts'
import { originalUri, publicUri } from './uris.ts'
import { Watches, type Found } from './watches.ts'

export interface HubOptions {
  readonly specs: SpecList
  readonly open: OpenLink
  readonly database: Database
  readonly clock: Clock
  readonly ids: Pick<Ids, 'token'>
  readonly log: Log
  readonly bus: ChangeBus
  /** Names of tools and prompts of the gateway itself, which nobody else may have. */
  readonly reserved?: ReadonlySet<string>
  /** Whether connections may be made to get to know a source. Default: always. */
  readonly mayStart?: () => boolean
  /**
   * Whether another process keeps what is stored: it may have been started with other variables than this one, and what it has
   * read is what there is. Default: never.
   */
  readonly isKeptElsewhere?: () => boolean
  readonly limits?: Partial<HubLimits>
  readonly timers?: Timers
  /** As `Math.random`. */
  readonly random?: () => number
}

export interface Hub {
  readonly source: ToolSource
  /** Gets to know those that are not known yet, a few at a time. Returns at once. */
  start(): void
  /** Resolves when all that is being got to know is known, or cannot be. */
  settled(): Promise<void>
  /** Follows new settings. Resolves when what was taken away or changed has ended. */
  apply(specs: SpecList): Promise<void>
  /** Ends every connection until somebody needs it again; calls under way may end first. Never rejects. */
  rest(): Promise<void>
  /** Another process may have learnt what a source has: reads it again. */
  reload(): void
  /** The last lines that a source caused, oldest first. */
  logs(id: string): readonly LogLine[]
  /** Cancels what waits for an answer of a caller that will not come again. */
  forgetCaller(callerId: string): void
  /** Calls that wait for an answer of their caller. */
  readonly parked: number
  /** Ends everything. Repeatable. */
  close(): Promise<void>
}

/** Changes within so many milliseconds are told together. */
const TOGETHER_MS = 20
const CLOSE_MS = 10_000

class ExternalHub implements Hub {
  readonly source: ToolSource
  readonly #options: HubOptions
  readonly #limits: HubLimits
  readonly #timers: Timers
  readonly #tools: ExternalTools
  readonly #parked: ParkedCalls<AskingCall>
  readonly #gate: StartGate
  readonly #watches = new Watches((uri) => this.#find(uri))
  readonly #leaving = new Set<Promise<void>>()
  #externals: ReadonlyMap<string, External>
  #epoch = 1
  #news = new Set<'tools' | 'prompts' | 'resources'>()
  #isStarted = false
  #mark = ''
  #closing: Promise<void> | undefined

  constructor(options: HubOptions) {
    this.#options = options
    this.#limits = { ...hubLimits, ...options.limits }
    this.#timers = options.timers ?? systemTimers
    this.#parked = new ParkedCalls(this.#limits, this.#timers, () => options.ids.token())
    this.#gate = new StartGate(this.#limits.startsMax, this.#limits.slowStartMs, this.#timers)
    this.#tools = {
      open: options.open,
      limits: this.#limits,
      timers: this.#timers,
      random: options.random ?? Math.random,
      parked: this.#parked,
      reserved: options.reserved ?? new Set(),
      log: options.log,
      now: () => options.clock.now(),
      mayStart: options.mayStart ?? (() => true),
      save: (saved) => this.#save(saved),
      onChange: (kinds) => this.#changed(kinds),
      onUpdate: (id, uri) => options.bus.emit({ kind: 'resource', uri: publicUri(id, uri) }),
    }
    const stored = findDefinitions(options.database)
    this.#externals = new Map(
      options.specs.specs.map((spec) => {
        const external = new External(spec, this.#tools)
        external.definitions.load(stored, options.isKeptElsewhere?.())
        return [spec.id, external] as const
      }),
    )
    this.source = sourceOver({
      epoch: () => this.#epoch,
      all: () => this.#externals,
      find: (uri) => this.#find(uri),
      watch: (uri) => this.#watches.add(uri),
      learn: (external, abilities) => this.#learn(external, abilities),
    })
  }

  get parked(): number {
    return this.#parked.size
  }

  start(): void {
    this.#isStarted = true
    this.#forgetOthers()
    this.#learnAll()
  }

  settled(): Promise<void> {
    return this.#gate.whenIdle()
  }

  async apply({ specs, problems }: SpecList): Promise<void> {
    const before = this.#externals
    const next = new Map<string, External>()
    for (const spec of specs) {
      const known = before.get(spec.id)
      next.set(spec.id, known?.spec.fingerprint === spec.fingerprint ? known : this.#replace(spec, known))
    }
    for (const [id, external] of before)
      if (!next.has(id)) this.#remove(external, !problems.some((problem) => problem.id === id))
    this.#externals = next
    this.#watches.renew()
    this.#changed(['tools', 'prompts', 'resources'])
    if (this.#isStarted) this.#learnAll()
    await Promise.all(this.#leaving)
  }

  async rest(): Promise<void> {
    await Promise.all(Array.from(this.#externals.values(), (each) => each.rest(this.#limits.drainMs)))
  }

  reload(): void {
    const mark = markOfDefinitions(this.#options.database)
    if (mark === this.#mark) return
    this.#mark = mark
    const stored = findDefinitions(this.#options.database)
    const isKept = this.#options.isKeptElsewhere?.() ?? false
    const kinds = Array.from(this.#externals.values(), (external) => external.reload(stored, isKept)).flat()
    if (kinds.length > 0) this.#changed([...new Set(kinds)])
  }

  logs(id: string): readonly LogLine[] {
    return this.#externals.get(id)?.logs.lines ?? []
  }

  forgetCaller(callerId: string): void {
    this.#parked.cancelAll(new Error('The caller is gone.'), callerId)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#gate.close()
    this.#parked.cancelAll(new Error('The gateway is closing.'))
    const ending = Promise.all([...this.#leaving, ...Array.from(this.#externals.values(), (each) => each.close())])
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = this.#timers.later(CLOSE_MS, resolve)
    await Promise.race([ending, late])
    cancel()
  }

  /** In its place, as soon as it has gone: two at once might fight over what they work on. */
  #replace(spec: SourceSpec, known: External | undefined): External {
    const gone = known === undefined ? undefined : this.#leave(known)
    const external = new External(spec, this.#tools, gone)
    if (known !== undefined && isSameServer(known.spec, spec)) external.definitions.adopt(known.definitions)
    else external.definitions.load(findDefinitions(this.#options.database), this.#options.isKeptElsewhere?.())
    return external
  }

  /** @param forGood false where its settings cannot be read at the moment */
  #remove(external: External, forGood: boolean): void {
    const { id } = external.spec
    void this.#leave(external)
    if (forGood) this.#write('forgotten', (tx) => dropDefinitions(tx, id))
  }

  /** What was taken out of the settings while nobody looked. */
  #forgetOthers(): void {
    const { specs, database } = this.#options
    if (specs.problems.length > 0) return
    for (const id of findSources(database))
      if (!this.#externals.has(id)) this.#write('forgotten', (tx) => dropDefinitions(tx, id))
  }

  #leave(external: External): Promise<void> {
    const leaving = external.retire(this.#limits.drainMs).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
    return leaving
  }

  #learnAll(): void {
    for (const external of this.#externals.values()) this.#learn(external, '')
  }

  #learn(external: External, abilities: string): void {
    const { mayStart } = this.#options
    if (this.#closing !== undefined || mayStart?.() === false || !external.isUnknown(abilities)) return
    this.#gate.run(() => external.learn(abilities))
  }

  #find(uri: string): Found | undefined {
    const original = originalUri(uri)
    const external = original === undefined ? undefined : this.#externals.get(original.id)
    return original === undefined || external?.spec.enabled !== true ? undefined : { external, uri: original.uri }
  }

  #save(saved: Saved): void {
    const fetchedAt = this.#options.clock.now()
    this.#write('kept', (tx) => putDefinitions(tx, { ...saved, fetchedAt }))
  }

  #write(what: string, work: Parameters<Database['write']>[0]): void {
    const { database, log, mayStart } = this.#options
    // What another process keeps is its own to write.
    if (this.#closing !== undefined || mayStart?.() === false) return
    database
      .write(work)
      .catch((error: unknown) => log.warn({ err: error }, `what an external server has could not be ${what}`))
  }

  /** Lists are others from now on; who listens is told a little later, once for all of it. */
  #changed(kinds: readonly Kind[]): void {
    this.#epoch++
    const isFirst = this.#news.size === 0
    for (const kind of kinds) this.#news.add(kind === 'templates' ? 'resources' : kind)
    if (isFirst && this.#news.size > 0) this.#timers.later(TOGETHER_MS, () => this.#tell())
  }

  #tell(): void {
    const news = this.#news
    this.#news = new Set()
    for (const kind of news) this.#options.bus.emit({ kind, server: SOURCE_ID })
  }
}

/** What it says does not depend on anything else. */
function isSameServer(one: SourceSpec, other: SourceSpec): boolean {
  return isDeepStrictEqual([one.target, one.roots], [other.target, other.roots])
}

/** Opens nothing and starts nothing; lists are there at once as they were stored. */
export function createHub(options: HubOptions): Hub {
  return new ExternalHub(options)
}
