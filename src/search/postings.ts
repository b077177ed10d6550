// How the words of one row are kept beside it: sorted term numbers with weighted counts, in few bytes.

/** Counts are kept in quarters, so that field weights survive; 63.75 is the most one term can count. */
const QUARTERS = 4
const COUNT_MAX = 255

export interface Posting {
  readonly term: number
  readonly count: number
}

/** Delta-coded variable-length term numbers, each followed by one byte of count. Terms must be distinct. */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const sorted = postings.toSorted((a, b) => a.term - b.term)
  const bytes: number[] = []
  let last = 0
  for (const { term, count } of sorted) {
    let delta = term - last
    last = term
    while (delta > 0x7f) {
      bytes.push((delta & 0x7f) | 0x80)
      delta = Math.floor(delta / 128)
    }
    bytes.push(delta, Math.min(COUNT_MAX, Math.max(1, Math.round(count * QUARTERS))))
  }
  return Uint8Array.from(bytes)
}

/** Calls back with each term number and its count, in ascending order of terms. */
export function readPostings(bytes: Uint8Array, each: (term: number, count: number) => void): void {
  let term = 0
  for (let i = 0; i < bytes.length; ) {
    let shift = 1
    let byte = bytes[i++] ?? 0
    while (byte > 0x7f) {
      term += (byte & 0x7f) * shift
      shift *= 128
      byte = bytes[i++] ?? 0
    }
    term += byte * shift
    each(term, (bytes[i++] ?? 0) / QUARTERS)
  }
}
