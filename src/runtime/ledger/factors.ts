// Made by `npm run tokens`; a test compares it. How many bytes of UTF-8 a token of o200k_base has, measured.

const LISTS: ReadonlyMap<string, number> = new Map([
  ['memory', 4.49],
  ['projects', 4.4],
  ['blog', 4.3],
  ['sharing', 4.43],
  ['storage', 4.43],
  ['media', 4.42],
  ['consulting', 4.32],
  ['router', 3.98],
])
/** Of all direct lists together. */
const LIST = 4.42

const REPLIES: ReadonlyMap<string, number> = new Map([
  ['memory', 3.7],
  ['router', 4.1],
])
const REPLY = 4

/**
 * Bytes a token, for estimates.
 * @param mountId id of the server that answers; without one, or for one that was not measured, an average
 */
export function bytesPerToken(mountId?: string, of: 'list' | 'reply' = 'list'): number {
  const [factors, average] = of === 'list' ? [LISTS, LIST] : [REPLIES, REPLY]
  return factors.get(mountId ?? '') ?? average
}
