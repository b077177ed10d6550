// Wall clock ↔ instant in an IANA time zone: offsets, gaps and repeated hours.
// A wall time is written as the epoch milliseconds that the same digits would have in UTC.
import { DAY_MS, MINUTE_MS } from '../../../lib/time.ts'

const FORMATS_MAX = 64
const formats = new Map<string, Intl.DateTimeFormat>()

/** Offset of the zone from UTC at an instant, in milliseconds; positive east of Greenwich. */
function offsetAt(instantMs: number, timeZone: string): number {
  const wholeSecondMs = Math.floor(instantMs / 1000) * 1000
  return wallOf(wholeSecondMs, timeZone) - wholeSecondMs
}

/** What the clock on the wall shows at an instant. */
export function toWall(instantMs: number, timeZone: string): number {
  return instantMs + offsetAt(instantMs, timeZone)
}

/**
 * The instant at which the wall clock shows a time. A repeated time gives its first occurrence; a time that is
 * skipped gives the first instant after the gap.
 */
export function fromWall(wallMs: number, timeZone: string): number {
  const before = wallMs - offsetAt(wallMs - DAY_MS, timeZone)
  const after = wallMs - offsetAt(wallMs + DAY_MS, timeZone)
  const valid = [before, after].filter((instant) => toWall(instant, timeZone) === wallMs)
  if (valid.length > 0) return Math.min(...valid)
  return endOfGap(Math.min(before, after), Math.max(before, after), timeZone)
}

/** First minute with the later offset, by bisection: the offset changes exactly once between the two instants. */
function endOfGap(earlyMs: number, lateMs: number, timeZone: string): number {
  const target = offsetAt(lateMs, timeZone)
  let low = Math.floor(earlyMs / MINUTE_MS)
  let high = Math.ceil(lateMs / MINUTE_MS)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * MINUTE_MS, timeZone) === target) high = middle
    else low = middle + 1
  }
  return high * MINUTE_MS
}

function wallOf(instantMs: number, timeZone: string): number {
  const fields: Record<string, number> = {}
  for (const part of formatFor(timeZone).formatToParts(instantMs)) {
    if (part.type !== 'literal') fields[part.type] = Number(part.value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(timeZone, format)
  return format
}
