// Times as text: ISO 8601 in UTC, without fractions of a second.

/** `2026-03-29T01:00:00Z` for epoch milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** As `isoTime`, or `absent` where there is no time. */
export function isoTimeOr(epochMs: number | null, absent: string): string {
  return epochMs === null ? absent : isoTime(epochMs)
}
