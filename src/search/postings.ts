// How the words of one row are kept beside it: sorted term numbers with weighted counts, as a short text.
// Text and not a blob, because SQLite bindings hand out strings twice as fast as buffers, and ranking reads hundreds per query.

/** Counts are kept in quarters, so that field weights survive. */
const QUARTERS = 4
const COUNT_MAX = 255
/** Five bits a character, from `0` on; the sixth says that more follow. */
const BASE = 48
const MORE = 32

export interface Posting {
  readonly term: number
  readonly count: number
}

function encodeNumber(value: number): string {
  let out = ''
  let rest = value
  while (rest >= MORE) {
    out += String.fromCharCode(BASE + MORE + (rest % MORE))
    rest = Math.floor(rest / MORE)
  }
  return out + String.fromCharCode(BASE + rest)
}

/** Delta-coded term numbers, each followed by its count. Terms must be distinct. */
export function encodePostings(postings: readonly Posting[]): string {
  let out = ''
  let last = 0
  for (const { term, count } of postings.toSorted((a, b) => a.term - b.term)) {
    const quarters = Math.min(COUNT_MAX, Math.max(1, Math.round(count * QUARTERS)))
    out += encodeNumber(term - last) + encodeNumber(quarters)
    last = term
  }
  return out
}

/** Calls back with each term number and its count, in ascending order of terms. */
export function readPostings(text: string, each: (term: number, count: number) => void): void {
  let at = 0
  const next = (): number => {
    let value = 0
    let scale = 1
    for (;;) {
      const digit = text.charCodeAt(at++) - BASE
      if (!(digit >= MORE)) return value + digit * scale
      value += (digit - MORE) * scale
      scale *= MORE
    }
  }
  let term = 0
  while (at < text.length) {
    term += next()
    each(term, next() / QUARTERS)
  }
}
