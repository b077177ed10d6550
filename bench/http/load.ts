// Closed-loop load: every connection sends its next request when it has the answer to the last. Bounded by a count.
import { Connection, type Answer } from './connection.ts'

export interface Load {
  readonly port: number
  readonly concurrency: number
  readonly requests: number
  /** The whole request with this number. */
  request(number: number): string
  /** False counts as an error. Called for every answer. */
  isGood(answer: Answer): boolean
}

export interface LoadResult {
  readonly requests: number
  readonly errors: number
  /** What was wrong with the first one that was not good. */
  readonly firstError: string | undefined
  readonly elapsedMs: number
  /** Ascending, milliseconds. */
  readonly latencies: readonly number[]
}

/** Runs the load to its end. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const latencies: number[] = []
  let next = 0
  let errors = 0
  let firstError: string | undefined
  const connections = await Promise.all(Array.from({ length: load.concurrency }, () => Connection.open(load.port)))
  const startedAt = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      while (next < load.requests) {
        const sentAt = performance.now()
        const answer = await connection.send(load.request(next++))
        latencies.push(performance.now() - sentAt)
        if (!load.isGood(answer)) {
          errors++
          firstError ??= `HTTP ${answer.status}: ${answer.body.slice(0, 300)}`
        }
      }
    }),
  )
  const elapsedMs = performance.now() - startedAt
  for (const connection of connections) connection.close()
  return { requests: load.requests, errors, firstError, elapsedMs, latencies: latencies.toSorted((a, b) => a - b) }
}

/** The value below which `share` of the ascending values lie. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}
