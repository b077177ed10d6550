// Guesses what a word that no row has was meant to be: a term one slip of the finger away that begins the same.

/** Shorter words have too many neighbours (Maria and Marta are two people). */
const CORRECTED_CHARS_MIN = 6
/** Terms with the same beginning that are compared. */
const COMPARED_MAX = 4000
const LETTERS = /^\p{L}+$/u

export interface Candidate {
  readonly id: number
  readonly term: string
  readonly df: number
}

/** True when one letter inserted, dropped, changed or swapped with the next makes one word of the other. */
export function isOneSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1 || short === long) return false
  let i = 0
  while (i < short.length && short[i] === long[i]) i++
  if (short.length < long.length) return short.slice(i) === long.slice(i + 1)
  if (short.slice(i + 1) === long.slice(i + 1)) return true
  return short[i] === long[i + 1] && short[i + 1] === long[i] && short.slice(i + 2) === long.slice(i + 2)
}

/**
 * The most frequent term that is one slip away and shares the first two letters.
 * @param startingWith terms of the index with a beginning, at most so many
 */
export function correctionOf(
  word: string,
  startingWith: (prefix: string, limit: number) => readonly Candidate[],
): Candidate | undefined {
  if (word.length < CORRECTED_CHARS_MIN || !LETTERS.test(word)) return undefined
  let best: Candidate | undefined
  for (const candidate of startingWith(word.slice(0, 2), COMPARED_MAX)) {
    if (isOneSlip(word, candidate.term) && candidate.df > (best?.df ?? 0)) best = candidate
  }
  return best
}
