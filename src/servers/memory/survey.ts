// Surveys every memory for what is stale, in pieces, so that other calls are answered meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ToolContext } from '../../runtime/context.ts'
import { vitalsAfter, type Vital } from './queries/dreams.ts'

const PIECE_ROWS = 2000

export interface StaleRule {
  /** Epoch milliseconds; neither read nor changed since then. */
  readonly before: number
  readonly importanceMax: number
}

export interface CategoryHealth {
  readonly category: string
  readonly count: number
  /** Average, one decimal. */
  readonly importance: number
  readonly stale: number
}

export interface Survey {
  /** Largest first. */
  readonly categories: readonly CategoryHealth[]
  /** The least important, longest unused ones. */
  readonly stale: readonly Vital[]
}

/** @param staleMax how many stale memories are named; all are counted */
export async function survey({ db, signal }: ToolContext, rule: StaleRule, staleMax: number): Promise<Survey> {
  const sums = new Map<string, { count: number; importance: number; stale: number }>()
  let stale: Vital[] = []
  for (let piece = vitalsAfter(db, 0, PIECE_ROWS); piece.length > 0;) {
    const found = piece.filter((vital) => vital.importance <= rule.importanceMax && vital.lastUse < rule.before)
    const isStale = new Set(found)
    for (const vital of piece) {
      const sum = sums.get(vital.category) ?? { count: 0, importance: 0, stale: 0 }
      sum.count += 1
      sum.importance += vital.importance
      if (isStale.has(vital)) sum.stale += 1
      sums.set(vital.category, sum)
    }
    stale = [...stale, ...found].toSorted(staler).slice(0, staleMax)
    await nextTurn(undefined, { signal })
    piece = vitalsAfter(db, piece.at(-1)?.id ?? Number.MAX_SAFE_INTEGER, PIECE_ROWS)
  }
  const categories = [...sums].map(([category, { count, importance, stale: staleCount }]) => ({
    category,
    count,
    importance: Math.round((importance / count) * 10) / 10,
    stale: staleCount,
  }))
  return { categories: categories.toSorted(larger), stale }
}

function staler(left: Vital, right: Vital): number {
  return left.importance - right.importance || left.lastUse - right.lastUse || left.id - right.id
}

function larger(left: CategoryHealth, right: CategoryHealth): number {
  return right.count - left.count || (left.category < right.category ? -1 : 1)
}
