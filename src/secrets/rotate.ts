// Replaces the key: every sealed text is sealed anew under it. Whatever is interrupted, each text has a key that opens it.
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { freshKey } from './key.ts'
import { findSealed } from './queries.ts'
import { sealedBy, type Vault } from './vault.ts'

export interface Rotation {
  /** Id of the key that seals from now on. */
  readonly key: string
  /** How many texts were sealed anew. */
  readonly sealed: number
}

/**
 * With a key file: the new key joins the old ones in the file and everything is sealed anew, then the keys that seal nothing
 * leave the file. Both happen inside a write, of which there is one at a time, so that of several rotations at once none takes
 * away the key of another. With CROW_KEY: everything is sealed under its first key, so that the others may be taken away.
 * @throws DomainError KEY_SINGLE where CROW_KEY names one key only and everything is sealed under it
 * @throws GatewayError SECRET_UNREADABLE where a text cannot be opened; nothing was changed then
 */
export async function rotateKey(db: Database, vault: Vault): Promise<Rotation> {
  const { ring } = vault
  if (ring.replace === undefined && ring.keys().length === 1) {
    throw new DomainError('invalid', 'KEY_SINGLE', 'CROW_KEY names one key, so there is none to change to.', {
      hint: 'Put the new key before the old one, with a comma between them, run this again, then take the old one away.',
    })
  }
  const rotation = await db.write((tx) => {
    const before = ring.keys('again')
    const newest = ring.replace === undefined ? before[0] : freshKey()
    const old = findSealed(tx)
      .filter(({ sealed }) => sealedBy(sealed) !== newest.id)
      .map((text) => ({ ...text, plain: vault.open(text.sealed, text.purpose) }))
    ring.replace?.([newest, ...before])
    for (const text of old) text.replace(tx, vault.seal(text.plain, text.purpose))
    return { key: newest.id, sealed: old.length }
  })
  await db.write((tx) => {
    const [newest, ...older] = ring.keys('again')
    const used = new Set(findSealed(tx).map(({ sealed }) => sealedBy(sealed)))
    ring.replace?.([newest, ...older.filter(({ id }) => used.has(id))])
  })
  return rotation
}
