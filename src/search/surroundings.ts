// Lifts rows by what is said around them: words of a question are often spread over several memories of one conversation. Pure.

import type { ScoredRow } from './scoring.ts'

/** A row gains this share of what the best rows around it add up to, each word counted where it counts most. */
const LIFT = 0.35
/** Where all the words of the query are said around a row, its score grows by this share; by a quarter of it for half of them. */
const ALL_AROUND_BOOST = 0.3
/** Rows of one group this many ids apart, and up to twice as many, are around each other: a group may be a whole year of notes. */
const AROUND_IDS = 64

/** What each word adds at most, among the rows of one group and one range of ids. */
type Best = Float64Array

function raise(best: Best, parts: Float64Array): void {
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place] ?? 0
    if (part > (best[place] ?? 0)) best[place] = part
  }
}

/** The best parts of each group's ranges of ids. */
function bestOfRanges(rows: readonly ScoredRow[]): Map<number, Map<number, Best>> {
  const groups = new Map<number, Map<number, Best>>()
  for (const row of rows) {
    if (row.group === 0) continue
    const ranges = groups.get(row.group) ?? new Map<number, Best>()
    groups.set(row.group, ranges)
    const range = Math.floor(row.id / AROUND_IDS)
    const best = ranges.get(range) ?? new Float64Array(row.parts.length)
    ranges.set(range, best)
    raise(best, row.parts)
  }
  return groups
}

function lift(row: ScoredRow, around: Best): void {
  let sum = 0
  let said = 0
  for (let place = 0; place < around.length; place++) {
    const part = around[place] ?? 0
    sum += part
    if (part > 0) said++
  }
  const share = said / Math.max(1, around.length)
  row.score = (row.score + LIFT * sum) * (1 + ALL_AROUND_BOOST * share * share)
}

/**
 * Adds to each row's score what its surroundings say of the query. A row without a group has only itself around it, so it loses
 * nothing against rows that say no more than it does. Rows that score 0 stay there: surroundings find nothing by themselves.
 */
export function liftBySurroundings(rows: Iterable<ScoredRow>): void {
  const scored = [...rows].filter((row) => row.score > 0)
  const groups = bestOfRanges(scored)
  for (const row of scored) {
    const ranges = groups.get(row.group)
    const around = row.parts.slice()
    const own = Math.floor(row.id / AROUND_IDS)
    for (const range of [own - 1, own, own + 1]) {
      const best = ranges?.get(range)
      if (best !== undefined) raise(around, best)
    }
    lift(row, around)
  }
}
