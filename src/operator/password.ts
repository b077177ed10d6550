// Which passwords are too easy to guess, and the one sentence that says why. Pure.
import { DomainError } from '../errors.ts'
import { GUESSED_WORDS } from './guessed-words.ts'

export const PASSWORD_LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 256
const DISTINCT_MIN = 5
/** How many letters have to be left once every word, row of keys and repetition counts as one or two. */
const SURPRISES_MIN = 7
/** Rows of keys and of counting, to be found in either direction. */
const ROWS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
]
const RUNS: readonly string[] = ROWS.flatMap((row) => [row, Array.from(row).toReversed().join('')])
const RUN_MIN = 3
/** Digits and signs that stand for letters. */
const SPELLED: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/**
 * Why this password will not do, in one sentence that does not repeat it; undefined when it will.
 * @param before the password it replaces
 */
export function weaknessOf(password: string, before?: string): string | undefined {
  const letters = Array.from(password.normalize('NFC'))
  if (letters.length < PASSWORD_LENGTH_MIN) return `A password has at least ${PASSWORD_LENGTH_MIN} characters.`
  if (letters.length > PASSWORD_LENGTH_MAX) return `A password has at most ${PASSWORD_LENGTH_MAX} characters.`
  if (before !== undefined && before.normalize('NFC') === letters.join(''))
    return 'That is the password you have already.'
  const folded = letters.join('').toLowerCase()
  if (new Set(folded).size < DISTINCT_MIN || /^(.{1,}?)\1+$/su.test(folded))
    return 'That password repeats itself and is easy to guess; a few words that do not belong together make a good one.'
  if (Math.min(surprisesIn(folded), surprisesIn(spelledOut(folded))) < SURPRISES_MIN)
    return 'That password is one of the first that a guesser tries; a few words that do not belong together make a good one.'
  return undefined
}

/** @throws DomainError PASSWORD_WEAK */
export function refuseWeak(password: string, before?: string): void {
  const weakness = weaknessOf(password, before)
  if (weakness !== undefined) throw new DomainError('invalid', 'PASSWORD_WEAK', weakness)
}

const spelledOut = (text: string): string => text.replaceAll(/[013457@$!]/g, (sign) => SPELLED[sign] ?? sign)

/** Counts what a guesser has to guess, as far as it matters: a common word or a run of keys is one guess and a bit, a repeated letter none. */
function surprisesIn(text: string): number {
  let count = 0
  let at = 0
  while (at < text.length && count < SURPRISES_MIN) {
    const word = GUESSED_WORDS.find((known) => text.startsWith(known, at))?.length ?? 0
    const run = runAt(text, at)
    const known = Math.max(word, run)
    if (known > 0) {
      count += 1.5
      at += known
    } else {
      if (text[at] !== text[at - 1]) count++
      at++
    }
  }
  return count
}

/** Length of the run of neighbouring keys, of a year, or of one repeated letter that begins here; 0 for none. */
function runAt(text: string, at: number): number {
  const repeated = /^(.)\1{2,}/su.exec(text.slice(at, at + PASSWORD_LENGTH_MAX))?.[0].length ?? 0
  const year = /^(19|20)\d\d/.exec(text.slice(at, at + 4))?.[0].length ?? 0
  let longest = Math.max(repeated, year)
  for (const row of RUNS) {
    let length = RUN_MIN
    while (at + length <= text.length && row.includes(text.slice(at, at + length)))
      longest = Math.max(longest, length++)
  }
  return longest
}
