// How alike two texts are: word 3-shingles after folding, compared by Jaccard (Broder 1997). Pure.

import { isPaired, pairsOf, scriptRuns } from './scripts.ts'
import { wordsOf } from './words.ts'

const SHINGLE_WORDS = 3

/** The folded words of a text in order; a run of a script without spaces counts as its pairs. */
export function comparedWords(text: string): string[] {
  const out: string[] = []
  for (const word of wordsOf(text)) {
    if (word.kind === 'part') continue
    if (!isPaired(word.text)) out.push(word.text)
    else for (const run of scriptRuns(word.text)) out.push(...(isPaired(run) ? pairsOf(run).pairs : [run]))
  }
  return out
}

/** The 3-shingles of a word sequence. Fewer than three words are one shingle: short texts are alike only when equal. */
export function shinglesOf(words: readonly string[]): Set<string> {
  const out = new Set<string>()
  if (words.length === 0) return out
  if (words.length < SHINGLE_WORDS) return out.add(words.join(' '))
  for (let i = 0; i + SHINGLE_WORDS <= words.length; i++) out.add(words.slice(i, i + SHINGLE_WORDS).join(' '))
  return out
}

/** Size of the intersection over size of the union; two empty sets are not alike. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let shared = 0
  for (const one of small) if (large.has(one)) shared++
  const union = a.size + b.size - shared
  return union === 0 ? 0 : shared / union
}

/** Similarity of two texts, 0-1. */
export function similarity(a: string, b: string): number {
  return jaccard(shinglesOf(comparedWords(a)), shinglesOf(comparedWords(b)))
}
