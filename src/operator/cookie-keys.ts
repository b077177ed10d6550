// The keys that sign cookies: a new one a month, and the two before it are still believed. Beside them the mark in the names
// of the cookies.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../runtime/context.ts'
import type { SecretStore } from '../secrets/store.ts'

const NAME = 'cookies/keys'
const MARK_NAME = 'cookies/mark'
const MARK_CHARS = 8
const RENEW_MS = 30 * 86_400_000
const KEPT = 3
/** How often a process has to look, so that it knows a key before another one signs with it. */
export const LOOK_MS = 3_600_000
const KNOWN_AFTER_MS = 2 * LOOK_MS

/** The keys of now, made or renewed when it is time; the first one signs, all are believed. */
export async function cookieKeys(secrets: SecretStore, clock: Pick<Clock, 'now'>): Promise<readonly string[]> {
  const now = clock.now()
  const keys = parse(await secrets.readOrMake(NAME, () => JSON.stringify([freshKey(now)])))
  const [newest] = keys
  if (newest !== undefined && now - madeAt(newest) < RENEW_MS) return signingFirst(keys, now)
  const renewed = [freshKey(now), ...keys].slice(0, KEPT)
  await secrets.write(NAME, JSON.stringify(renewed))
  return signingFirst(renewed, now)
}

/** Other processes on the database may not have seen a new key yet: until they have, the one before it signs. */
function signingFirst(keys: readonly string[], now: number): readonly string[] {
  const [newest, before, ...older] = keys
  if (newest === undefined || before === undefined || now - madeAt(newest) >= KNOWN_AFTER_MS) return keys
  return [before, newest, ...older]
}

/**
 * Ends the name of every cookie of a gateway: browsers keep one jar for all ports and paths of a host. Made from a text that
 * is sealed like a secret and stays when keys change, and from the place of the database, so that a copy has names of its own.
 */
export async function cookieMark(secrets: SecretStore, databasePath: string): Promise<string> {
  const own = await secrets.readOrMake(MARK_NAME, () => randomBytes(16).toString('base64url'))
  return createHash('sha256').update(`${own} ${databasePath}`).digest('hex').slice(0, MARK_CHARS)
}

/** A key begins with the time it was made, in base 36, so that its age needs no place of its own. */
const freshKey = (now: number): string => `${now.toString(36)}.${randomBytes(32).toString('base64url')}`
const madeAt = (key: string): number => Number.parseInt(key.split('.')[0] ?? '', 36) || 0

function parse(text: string): string[] {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter((key) => typeof key === 'string') : []
}
