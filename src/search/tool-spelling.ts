// Guesses which word of the tools a mistyped or unfinished word was meant to be.

/** Shorter words have too many neighbours. */
const CORRECTED_CHARS_MIN = 5
const TWO_SLIPS_CHARS_MIN = 8
const PREFIX_CHARS_MIN = 3
const WEIGHTS = { prefix: 0.7, oneSlip: 0.8, twoSlips: 0.5 } as const
const LETTERS = /^\p{L}+$/u
const CANDIDATES_MAX = 12

export interface Correction {
  readonly word: string
  readonly weight: number
}

/**
 * Corrections of a word, the likeliest first.
 * @param vocabulary words with the same first letter: a slip there is rare, and comparing every word is slow
 */
export function correctionsOf(word: string, vocabulary: Iterable<string>): Correction[] {
  if (!LETTERS.test(word)) return []
  const found: Correction[] = []
  for (const candidate of vocabulary) {
    const weight = likeness(word, candidate)
    if (weight > 0) found.push({ word: candidate, weight })
  }
  return found

    .toSorted((a, b) => b.weight - a.weight || a.word.length - b.word.length || (a.word < b.word ? -1 : 1))
    .slice(0, CANDIDATES_MAX)
}

function likeness(word: string, candidate: string): number {
  if (word.length >= PREFIX_CHARS_MIN && candidate.startsWith(word)) return WEIGHTS.prefix
  if (word.length < CORRECTED_CHARS_MIN || candidate.length < CORRECTED_CHARS_MIN - 1) return 0
  const max = word.length >= TWO_SLIPS_CHARS_MIN ? 2 : 1
  if (Math.abs(word.length - candidate.length) > max) return 0
  const slips = slipsBetween(word, candidate, max)
  return slips > max ? 0 : slips === 1 ? WEIGHTS.oneSlip : WEIGHTS.twoSlips
}

/** Letters inserted, dropped, changed or swapped with the next; more than `max` is `max + 1`. */
function slipsBetween(a: string, b: string, max: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      next.push(cost)
      least = Math.min(least, cost)
    }
    if (least > max) return max + 1
    before = row
    row = next
  }
  return Math.min(row[b.length] ?? max + 1, max + 1)
}
