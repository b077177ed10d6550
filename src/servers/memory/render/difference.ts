// Shortens a text that resembles another so that both its beginning and what the other lacks can be seen.
import { sliceWhole } from './excerpt.ts'

const HEAD_SHARE = 0.3
/** Of what both have, so much stands on each side of a difference. */
const AROUND_CHARS = 24

interface Range {
  readonly start: number
  readonly end: number
}

/** True when two texts differ in white space at most. */
export function isSameText(left: string, right: string): boolean {
  return oneLine(left) === oneLine(right)
}

/**
 * A text on one line in about `charsMax` characters: whole where it fits, otherwise its start and the stretch in which it
 * differs from `other`; of a long stretch both ends, because differences may be far apart. Ellipses say where something is missing.
 */
export function headAndDifference(text: string, other: string, charsMax: number): string {
  const line = oneLine(text)
  if (line.length <= charsMax) return line
  const otherLine = oneLine(other)
  if (line === otherLine) return shown(line, [{ start: 0, end: charsMax }])
  const { start, end } = difference(line, otherLine)
  const from = Math.max(0, start - AROUND_CHARS)
  const to = Math.min(line.length, end + AROUND_CHARS)
  if (to <= charsMax) return shown(line, [{ start: 0, end: charsMax }])
  const headChars = Math.floor(charsMax * HEAD_SHARE)
  const half = Math.floor((charsMax - headChars) / 2)
  return shown(line, [
    { start: 0, end: headChars },
    { start: from, end: Math.min(to, from + half) },
    { start: Math.max(from, to - half), end: to },
  ])
}

/** Start and end of a text without what it and another both begin and end with. */
function difference(text: string, other: string): Range {
  const shortest = Math.min(text.length, other.length)
  let start = 0
  while (start < shortest && text[start] === other[start]) start++
  let same = 0
  while (same < shortest - start && text.at(-1 - same) === other.at(-1 - same)) same++
  return { start, end: text.length - same }
}

/** Ranges in the order of their starts; those that touch become one. */
function shown(text: string, ranges: readonly Range[]): string {
  const apart: Range[] = []
  for (const range of ranges) {
    const last = apart.at(-1)
    if (last !== undefined && range.start <= last.end)
      apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else apart.push(range)
  }
  const pieces = apart.map(({ start, end }) => sliceWhole(text, start, end).trim())
  const isWhole = (apart.at(-1)?.end ?? 0) >= text.length
  return `${pieces.join(' … ')}${isWhole ? '' : ' …'}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
