// One external server: its connections, what it has, how it is doing.
import { isRecord } from '../lib/json.ts'
import type { JsonObject, Link, LinkEnd, LinkHandlers, OpenLink } from '../lib/link.ts'
import type { Reply } from '../runtime/reply.ts'
import type { SourceStatus } from '../runtime/source.ts'
import { capabilitiesOf, type Abilities } from './abilities.ts'
import type { AskingCall } from './asking-call.ts'
import { Bridge } from './bridge.ts'
import { Definitions, type Saved } from './definitions.ts'
import { manner } from './faults.ts'
import { Health } from './health.ts'
import type { Lane } from './lane.ts'
import type { HubLimits } from './limits.ts'
import { Listening } from './listening.ts'
import { CHANGED, KINDS, type Kind, type Note } from './lists.ts'
import type { ParkedCalls } from './parked.ts'
import { Pool } from './pool.ts'
import type { StoredList } from './queries.ts'
import { LogRing } from './log-ring.ts'
import { hearMessages } from './messages.ts'
import { misfitOf } from './output-check.ts'
import { Reading } from './reading.ts'
import { toolReply } from './results.ts'
import type { SourceSpec } from './spec.ts'
import { stateOf } from './state.ts'
import { Supervisor } from './supervisor.ts'
import type { Timers } from './timers.ts'
import { viewOf, type ShownTool, type View } from './view.ts'

export interface ExternalTools {
  readonly open: OpenLink
  readonly limits: HubLimits
  readonly timers: Timers
  readonly random: () => number
  readonly parked: ParkedCalls<AskingCall>
  readonly reserved: ReadonlySet<string>
  readonly log: { debug(detail: object, message: string): void; warn(detail: object, message: string): void }
  /** Epoch milliseconds, for people. */
  readonly now: () => number
  /** Whether one may be started that no call waits for. */
  readonly mayStart: () => boolean
  readonly save: (saved: Saved) => void
  /** Lists are others than before. */
  onChange(kinds: readonly Kind[]): void
  /** A resource, by its original address. */
  onUpdate(id: string, uri: string): void
}

export class External {
  readonly spec: SourceSpec
  readonly definitions: Definitions
  readonly bridge: Bridge
  readonly logs: LogRing
  readonly #tools: ExternalTools
  readonly #health: Health
  readonly #pool: Pool
  readonly #listening: Listening
  readonly #views = new Map<Abilities, View>()
  readonly #reading: Reading
  readonly #note: Note
  /** Whatever had its place before is gone. */
  readonly #free: Promise<void>
  readonly #misfits = new Set<string>()
  #restarts = 0
  #isDown = false
  #wasReady = false
  #since: number
  #lastEnd: LinkEnd | undefined

  constructor(spec: SourceSpec, tools: ExternalTools, before: Promise<void> = Promise.resolve()) {
    this.spec = spec
    this.#tools = tools
    this.#free = before
    this.#since = tools.now()
    this.logs = new LogRing(tools.limits.logLines, tools.now)
    this.#note = (level, message, detail = {}) => {
      this.logs.add(level, message, detail)
      tools.log[level]({ ...detail, source: spec.id }, message)
    }
    this.definitions = new Definitions(spec, tools.save)
    this.#health = new Health(tools.limits, tools.timers, tools.random)
    this.#listening = new Listening(this.#note)
    const { limits, timers, parked } = tools
    this.#pool = new Pool({
      spec,
      limits,
      timers,
      era: () => this.definitions.peer?.era,
      lane: {
        onNotification: (lane, method, params) => this.#heard(lane, method, params),
        makeSupervisor: (lane, handlers) => this.#supervise(lane, handlers),
      },
    })
    this.#reading = new Reading({
      definitions: this.definitions,
      pool: this.#pool,
      limits,
      timers,
      note: this.#note,
      restsAfterwards: spec.isolation === 'client',
      onNews: (kinds) => {
        // All of them: who is not known yet is shown what others are.
        this.#views.clear()
        tools.onChange(kinds)
      },
    })
    this.bridge = new Bridge({ spec, pool: this.#pool, parked, limits, timers })
  }

  /** Takes over what another process has written down. @returns the kinds of lists that are others now */
  reload(stored: readonly StoredList[], isKept: boolean): readonly Kind[] {
    const changed = this.definitions.load(stored, isKept)
    if (changed.length > 0) this.#views.clear()
    return changed
  }

  /** What callers of a kind are shown. */
  viewFor(abilities: Abilities): View {
    const set = this.#setOf(abilities)
    const known = this.#views.get(set)
    if (known !== undefined) return known
    const view = viewOf(this.spec, this.definitions.listsFor(set), this.#tools.reserved)
    this.#views.set(set, view)
    for (const { original, reason } of view.refused) this.#note('warn', `"${original}" is not shown: ${reason}`)
    return view
  }

  /** Whether it has to be found out what callers of a kind are shown. */
  isUnknown(abilities: Abilities): boolean {
    return this.spec.enabled && this.#reading.isMissing(this.#setOf(abilities))
  }

  /** Finds out what callers of a kind are shown. Never rejects; what fails is tried again when it is next up. */
  learn(abilities: Abilities): Promise<void> {
    return this.#reading.learn(this.#setOf(abilities))
  }

  /** A result as its caller gets it. */
  toolReply({ original, listed }: ShownTool, result: JsonObject): Reply {
    // Data of a stranger, whatever its type says.
    const outputSchema: unknown = listed.outputSchema
    if (isRecord(outputSchema)) this.#checkOutput(original, misfitOf(outputSchema, result))
    return toolReply(this.spec.id, result)
  }

  watch(uri: string): () => void {
    const { supervisor } = this.#pool.base
    supervisor.use()
    this.#listening.add(uri)
    supervisor
      .whenReady()
      .catch((error: unknown) => this.#note('debug', 'a resource is not watched yet', { err: error }))
    return () => {
      supervisor.letGo()
      this.#listening.remove(uri)
    }
  }

  status(): SourceStatus {
    const { id, title, enabled } = this.spec
    const { lanes } = this.#pool
    const phases = lanes.map(({ supervisor }) => supervisor.phase)
    const { reason, circuit } = this.#health
    const stderr = reason === '' ? [] : (this.#lastEnd?.stderr ?? [])
    const lastError = [reason, ...stderr.slice(-STDERR_LINES)].filter((line) => line !== '').join('\n')
    return {
      id,
      name: title,
      tools: enabled ? this.viewFor('').tools.length : 0,
      status: enabled ? stateOf(phases, { failed: this.#isDown, wasReady: this.#wasReady }) : 'disabled',
      restarts: this.#restarts,
      circuit,
      connections: phases.filter((phase) => phase === 'ready').length,
      pending: lanes.reduce((sum, { calls, supervisor }) => sum + calls.size + supervisor.waiting, 0),
      since: this.#since,
      ...(lastError === '' ? {} : { lastError }),
    }
  }

  /** Takes no part any more: calls under way may end, then everything is ended. */
  async retire(drainMs: number): Promise<void> {
    this.#reading.stop()
    await this.#drain(drainMs)
    await this.close()
  }

  /** Calls under way may end, then no connection is left. The next call makes a new one. */
  async rest(drainMs: number): Promise<void> {
    await this.#drain(drainMs)
    await Promise.all(this.#pool.lanes.map(({ supervisor }) => supervisor.rest()))
  }

  async #drain(drainMs: number): Promise<void> {
    const { timers } = this.#tools
    const until = timers.now() + drainMs
    while (this.#pool.lanes.some(({ calls }) => calls.size > 0) && timers.now() < until)
      await new Promise<void>((resolve) => void timers.later(DRAIN_LOOK_MS, resolve))
  }

  async close(): Promise<void> {
    this.#reading.stop()
    this.#listening.ended()
    await this.#pool.close()
  }

  /** Said once of a tool. */
  #checkOutput(original: string, misfit: string | undefined): void {
    if (misfit === undefined || this.#misfits.has(original)) return
    this.#misfits.add(original)
    this.#note('warn', `a result of "${original}" does not fit its output schema: ${misfit}`)
  }

  #setOf(abilities: Abilities): Abilities {
    return this.definitions.peer?.era === '2025' ? abilities : ''
  }

  #supervise(lane: Lane, handlers: LinkHandlers): Supervisor {
    const { spec } = this
    const { open, limits, timers } = this.#tools
    const isBase = lane.abilities === '' && lane.client === ''
    return new Supervisor(
      {
        title: spec.title,
        idleMs: spec.idleMs === 0 && lane.asks && lane.client === '' ? ASKING_IDLE_MS : spec.idleMs,
        open: async (signal) => {
          await this.#free
          signal.throwIfAborted()
          const era = this.definitions.peer?.era
          return open(spec.target, {
            handlers,
            capabilities: capabilitiesOf(lane.abilities, spec.roots !== undefined),
            ...(era === undefined ? {} : { era }),
            startTimeoutMs: limits.startTimeoutMs,
            signal,
            note: this.#note,
          })
        },
        wanted: () => isBase && this.#tools.mayStart() && this.#isWanted(lane),
        onReady: (link) => this.#ready(lane, link, isBase),
        onEnd: (end) => this.#ended(end, isBase),
      },
      { health: this.#health, timers, limits },
    )
  }

  /** It was in use, somebody listens, or it has never said what it has. */
  #isWanted({ supervisor }: Lane): boolean {
    const { idleMs } = this.spec
    const wasUsed = idleMs === 0 || this.#tools.timers.now() - supervisor.lastUse < idleMs
    return !this.definitions.has('') || supervisor.uses > 0 || (this.#wasReady && wasUsed)
  }

  #ready(lane: Lane, link: Link, isBase: boolean): void {
    if (this.#isDown) this.#restarts++
    this.#isDown = false
    this.#wasReady = true
    this.#since = this.#tools.now()
    const known = this.definitions.peer
    if ((isBase || known?.era !== link.peer.era) && this.definitions.meet(link.peer)) {
      this.#views.clear()
      this.#tools.onChange([])
    }
    if (isBase) this.#listening.begin(link)
    this.#reading.again(lane, KINDS)
    hearMessages(link, this.#tools.limits, this.#note)
    // It is somebody else's since this start began. A moment later, so that calls that waited for it are under way.
    const { limits, mayStart, timers } = this.#tools
    if (!mayStart()) timers.later(DRAIN_LOOK_MS, () => void this.rest(limits.drainMs))
  }

  #ended(end: LinkEnd, isBase: boolean): void {
    this.#since = this.#tools.now()
    this.#lastEnd = end
    if (!end.wanted) {
      this.#isDown = true
      this.#note('warn', `ended: ${manner(end)}`, end.stderr === undefined ? {} : { stderr: end.stderr })
    }
    if (isBase) this.#listening.ended()
  }

  #heard(lane: Lane, method: string, { uri, level, data }: JsonObject): void {
    const kinds = Object.hasOwn(CHANGED, method) ? CHANGED[method] : undefined
    if (kinds !== undefined) this.#reading.again(lane, kinds)
    else if (method === 'notifications/resources/updated') {
      if (this.#listening.isWanted && typeof uri === 'string') this.#tools.onUpdate(this.spec.id, uri)
    } else if (method === 'notifications/message')
      this.#note('debug', 'it says', { level, text: (JSON.stringify(data) ?? '').slice(0, SAID_CHARS_MAX) })
  }
}

const STDERR_LINES = 5
const SAID_CHARS_MAX = 500
/** What is up for one caller at a time does not stay up for good, whatever holds for the one that all share. */
const ASKING_IDLE_MS = 600_000
const DRAIN_LOOK_MS = 50
