// Replaces the key: every sealed text is sealed anew under it. Whatever is interrupted, each text has a key that opens it.
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { freshKey } from './key.ts'
import type { KeyRing, Keys } from './key-ring.ts'
import { findSealed } from './queries.ts'
import { sealedBy, type Vault } from './vault.ts'

export interface Rotation {
  /** Id of the key that seals from now on. */
  readonly key: string
  /** How many texts were sealed anew. */
  readonly sealed: number
}

/**
 * With a key file: the new key joins the old one in the file, everything is sealed anew in one transaction, the old key
 * leaves the file. With CROW_KEY: everything is sealed under its first key, so that the others may be taken away.
 * @throws DomainError KEY_SINGLE where CROW_KEY names one key only and everything is sealed under it
 * @throws GatewayError SECRET_UNREADABLE where a text cannot be opened; nothing was changed then
 */
export async function rotateKey(db: Database, vault: Vault): Promise<Rotation> {
  const { ring } = vault
  const before = ring.keys('again')
  if (ring.replace !== undefined) {
    const next: Keys = [freshKey(), ...before]
    ring.replace(next)
  } else if (before.length === 1) {
    throw new DomainError('invalid', 'KEY_SINGLE', 'CROW_KEY names one key, so there is none to change to.', {
      hint: 'Put the new key before the old one, with a comma between them, run this again, then take the old one away.',
    })
  }
  const [newest] = ring.keys()
  let sealed = 0
  await db.write((tx) => {
    for (const text of findSealed(tx)) {
      if (sealedBy(text.sealed) === newest.id) continue
      text.replace(tx, vault.seal(vault.open(text.sealed, text.purpose), text.purpose))
      sealed++
    }
  })
  takeAway(ring, before)
  return { key: newest.id, sealed }
}

/** Only what was there before: somebody else who rotates meanwhile has sealed everything under a key of their own by now. */
function takeAway(ring: KeyRing, before: Keys): void {
  const [newest, ...others] = ring.keys('again').filter(({ id }) => !before.some((key) => key.id === id))
  if (newest !== undefined) ring.replace?.([newest, ...others])
}
