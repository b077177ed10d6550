// Whether the keys there are open everything that is sealed.
import type { Database } from '../db/client.ts'
import { GatewayError } from '../errors.ts'
import { findSealed } from './queries.ts'
import type { Vault } from './vault.ts'

export interface KeyCheck {
  /** Ids of the keys, the one that seals first. */
  readonly keys: readonly string[]
  /** How many texts are sealed. */
  readonly sealed: number
  /** Purposes of those that no key opens. */
  readonly unreadable: readonly string[]
}

/** Opens everything that is sealed once, and tells nothing of what was in it. */
export function checkKey(db: Pick<Database, 'orm'>, vault: Vault): KeyCheck {
  const texts = findSealed(db)
  const opens = ({ sealed, purpose }: { sealed: string; purpose: string }): boolean => {
    try {
      vault.open(sealed, purpose)
      return true
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'SECRET_UNREADABLE') return false
      throw error
    }
  }
  return {
    keys: vault.ring.keys('again').map(({ id }) => id),
    sealed: texts.length,
    unreadable: texts.filter((text) => !opens(text)).map(({ purpose }) => purpose),
  }
}
