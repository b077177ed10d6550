// Times as text: ISO 8601 in UTC, to the minute: nothing that a model decides depends on less, and every row pays for more.

/** `2026-03-29T01:00Z` for epoch milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z')
}

/** As `isoTime`; undefined, which is left out of elements, where there is no time. */
export function isoTimeIf(epochMs: number | null): string | undefined {
  return epochMs === null ? undefined : isoTime(epochMs)
}
