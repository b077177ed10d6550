// The gateway's own secrets by name, sealed in the database: signing keys, cookie keys, keys of providers.
import type { Database } from '../db/client.ts'
import type { Clock } from '../runtime/context.ts'
import { dropSecret, findSecret, purposeOf, putSecret } from './queries.ts'
import type { Vault } from './vault.ts'

export interface SecretStore {
  /** @throws GatewayError SECRET_UNREADABLE */
  read(name: string): string | undefined
  write(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
  /** Reads, or makes what is missing; of processes that make it at once, all get the first one's. */
  readOrMake(name: string, make: () => string | Promise<string>): Promise<string>
}

export function createSecretStore(db: Database, vault: Vault, clock: Pick<Clock, 'now'>): SecretStore {
  const open = (name: string, sealed: string): string => vault.open(sealed, purposeOf(name))
  return {
    read(name) {
      const sealed = findSecret(db, name)
      return sealed === undefined ? undefined : open(name, sealed)
    },
    write: (name, value) => db.write((tx) => putSecret(tx, name, vault.seal(value, purposeOf(name)), clock.now())),
    remove: (name) => db.write((tx) => dropSecret(tx, name)),
    async readOrMake(name, make) {
      const found = findSecret(db, name)
      if (found !== undefined) return open(name, found)
      const made = await make()
      return await db.write((tx) => {
        const first = findSecret(tx, name)
        if (first !== undefined) return open(name, first)
        putSecret(tx, name, vault.seal(made, purposeOf(name)), clock.now())
        return made
      })
    },
  }
}
