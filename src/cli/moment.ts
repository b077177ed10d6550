// A moment in the past as people type it: how long ago (`30m`, `12h`, `7d`), or a date.
import { UsageError } from './options.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * @param now epoch milliseconds
 * @returns epoch milliseconds; a date without a time begins at midnight UTC
 * @throws UsageError naming the option
 */
export function momentOf(option: string, typed: string, now: number): number {
  const ago = /^(\d{1,6})([smhdw])$/.exec(typed)
  const unitMs = UNITS_MS[ago?.[2] ?? '']
  if (unitMs !== undefined) return now - Number(ago?.[1]) * unitMs
  const at = /^\d{4}-\d\d-\d\d/.test(typed) ? Date.parse(typed) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new UsageError(
    `--${option} is how long ago (30m, 12h, 7d) or a date (2026-01-31, 2026-01-31T08:00Z), not ${JSON.stringify(typed)}`,
  )
}
