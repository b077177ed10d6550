// Made by `npm run tokens`; a test compares it. How many bytes of UTF-8 a token of o200k_base has, measured.

const LISTS: ReadonlyMap<string, number> = new Map([
  ['memory', 4.49],
  ['projects', 4.4],
  ['blog', 4.29],
  ['sharing', 4.43],
  ['storage', 4.43],
  ['media', 4.41],
  ['consulting', 4.32],
  ['router', 3.98],
])
/** Of all direct lists together. */
const DIRECT = 4.41
/** A list that nobody measured is taken for the densest that was. */
const DENSEST = Math.min(...LISTS.values())

const REPLIES: ReadonlyMap<string, number> = new Map([
  ['memory', 3.7],
  ['router', 4.1],
])
/** Of all replies together. */
const REPLY = 4

/** Of the list of this server; without one, of all direct lists together. */
export const bytesPerToken = (mountId?: string): number =>
  mountId === undefined ? DIRECT : (LISTS.get(mountId) ?? DENSEST)

/** Of what is answered to calls at this server. */
export const replyBytesPerToken = (mountId: string): number => REPLIES.get(mountId) ?? REPLY
