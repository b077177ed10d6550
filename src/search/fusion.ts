// Joins two rankings into one by reciprocal rank (Cormack, Clarke & Buettcher 2009): what both legs rank high comes first.

import type { SearchHit } from './spec.ts'

/** Softens the lead of the very first ranks; the value of the paper. */
const K = 60

/** Best first; ties keep the order of the first ranking. Scores are sums of 1 / (60 + rank). */
export function fuse(rankings: readonly (readonly { readonly id: number }[])[]): SearchHit[] {
  const scores = new Map<number, number>()
  for (const ranking of rankings) {
    ranking.forEach(({ id }, at) => scores.set(id, (scores.get(id) ?? 0) + 1 / (K + at + 1)))
  }
  return [...scores]
    .map(([id, score]) => ({ id, score: Number(score.toFixed(6)) }))
    .toSorted((a, b) => b.score - a.score)
}
