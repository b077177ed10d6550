// The keys that sign cookies, newest first: a new one a month, and the two before it are still believed.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../runtime/context.ts'
import type { SecretStore } from '../secrets/store.ts'

const NAME = 'cookies/keys'
const RENEW_MS = 30 * 86_400_000
const KEPT = 3

/** The keys of now, made or renewed when it is time. */
export async function cookieKeys(secrets: SecretStore, clock: Pick<Clock, 'now'>): Promise<readonly string[]> {
  const now = clock.now()
  const keys = parse(await secrets.readOrMake(NAME, () => JSON.stringify([freshKey(now)])))
  const [newest] = keys
  if (newest !== undefined && now - madeAt(newest) < RENEW_MS) return keys
  const renewed = [freshKey(now), ...keys].slice(0, KEPT)
  await secrets.write(NAME, JSON.stringify(renewed))
  return renewed
}

/** A key begins with the time it was made, in base 36, so that its age needs no place of its own. */
const freshKey = (now: number): string => `${now.toString(36)}.${randomBytes(32).toString('base64url')}`
const madeAt = (key: string): number => Number.parseInt(key.split('.')[0] ?? '', 36) || 0

function parse(text: string): string[] {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter((key) => typeof key === 'string') : []
}
