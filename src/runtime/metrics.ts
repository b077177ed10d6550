// Numbers of what was called, how it ended and how long it took, kept in memory while somebody wants them. Whatever callers
// invent, there are never more series than a bound.
import type { EndEvent, LateEvent, PipelineObserver, SubjectKind } from './observe.ts'

/** Upper ends of the duration buckets in milliseconds, inclusive; what takes longer is in the last bucket, without end. */
export const BUCKETS_MS: readonly number[] = Object.freeze([
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
])
const SERIES_MAX = 512
/** Names that callers made up are one series, so that they cannot crowd out real ones. */
const UNKNOWN = '(unknown)'
/** Where everything goes that came after the bound was reached. */
const OTHER = '(other)'

export interface Series {
  readonly kind: SubjectKind
  readonly server: string
  /** As in `StartEvent.tool`; `(unknown)` for what nobody declares, `(other)` beyond the bound. */
  readonly tool: string
  readonly calls: number
  /** Calls by code, or by result where there is no code: `{ ok: 3, NOT_FOUND: 1 }`. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Calls that failed through the gateway's own fault. */
  readonly systemFaults: number
  /** Handlers that ended after their answer had been given. */
  readonly late: number
  /** Content of all replies as UTF-8. */
  readonly bytes: number
  readonly durationMs: {
    readonly sum: number
    readonly max: number
    /** One more than `BUCKETS_MS`; each call is in one bucket. */
    readonly buckets: readonly number[]
  }
}
export interface MetricsSnapshot {
  readonly bucketsMs: readonly number[]
  /** Sorted by server, kind and tool. */
  readonly series: readonly Series[]
}
export interface Metrics extends PipelineObserver {
  /** A copy that later calls do not change. */
  snapshot(): MetricsSnapshot
}

/**
 * Costs nothing until it is given to a catalog, by `observers` or by `observe`.
 * @param seriesMax beyond so many, everything new counts as `(other)`
 */
export function createMetrics(seriesMax = SERIES_MAX): Metrics {
  const known = new Map<string, Tally>()
  const tallyOf = (kind: SubjectKind, server: string, tool: string): Tally => {
    const key = `${kind} ${server} ${tool}`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= seriesMax && tool !== OTHER) return tallyOf(kind, OTHER, OTHER)
    const made = new Tally(kind, server, tool)
    known.set(key, made)
    return made
  }
  return Object.freeze({
    id: 'metrics',
    onEnd(event: EndEvent): void {
      const isUnknown = event.outcome.startsWith('unknown-')
      tallyOf(event.kind, isUnknown ? UNKNOWN : event.server, isUnknown ? UNKNOWN : event.tool).count(event)
    },
    onLate({ kind, server, tool }: LateEvent): void {
      tallyOf(kind, server, tool).late++
    },
    snapshot: () => ({
      bucketsMs: BUCKETS_MS,
      series: [...known.values()].map((tally) => tally.copy()).toSorted(inOrder),
    }),
  })
}

class Tally {
  readonly #kind: SubjectKind
  readonly #server: string
  readonly #tool: string
  readonly #outcomes = new Map<string, number>()
  readonly #buckets: number[] = Array.from({ length: BUCKETS_MS.length + 1 }, () => 0)
  #calls = 0
  #systemFaults = 0
  #bytes = 0
  #sumMs = 0
  #maxMs = 0
  late = 0

  constructor(kind: SubjectKind, server: string, tool: string) {
    this.#kind = kind
    this.#server = server
    this.#tool = tool
  }

  count({ outcome, code, blame, bytes, durationMs }: EndEvent): void {
    const result = code ?? outcome
    const bucket = BUCKETS_MS.findIndex((endMs) => durationMs <= endMs)
    const at = bucket === -1 ? BUCKETS_MS.length : bucket
    this.#calls++
    this.#outcomes.set(result, (this.#outcomes.get(result) ?? 0) + 1)
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1
    if (blame === 'system') this.#systemFaults++
    this.#bytes += bytes
    this.#sumMs += durationMs
    this.#maxMs = Math.max(this.#maxMs, durationMs)
  }

  copy(): Series {
    return {
      kind: this.#kind,
      server: this.#server,
      tool: this.#tool,
      calls: this.#calls,
      outcomes: Object.fromEntries(this.#outcomes),
      systemFaults: this.#systemFaults,
      late: this.late,
      bytes: this.#bytes,
      durationMs: { sum: this.#sumMs, max: this.#maxMs, buckets: [...this.#buckets] },
    }
  }
}

function inOrder(left: Series, right: Series): number {
  const [one, two] = [left, right].map(({ kind, server, tool }) => `${server}\n${kind}\n${tool}`)
  return (one ?? '') < (two ?? '') ? -1 : 1
}
