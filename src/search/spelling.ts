// Guesses what a word that no row has was meant to be: a term one slip of the finger away that begins the same.

/** Shorter words have too many neighbours (Maria and Marta are two people). */
const CORRECTED_CHARS_MIN = 6
/** The beginning that a word and its correction share. */
const SHARED_CHARS = 2
const LETTERS = /^\p{L}+$/u

/** Whether a word that no row has may be a slip of another. */
export function isCorrectable(word: string): boolean {
  return word.length >= CORRECTED_CHARS_MIN && LETTERS.test(word)
}

/** The beginning that all corrections of a word have. */
export function beginningOf(word: string): string {
  return word.slice(0, SHARED_CHARS)
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
