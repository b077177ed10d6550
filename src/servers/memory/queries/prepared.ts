// Statements are prepared once per database and live as long as it does.
import type { Database } from '../../../db/client.ts'

/** `build` runs on the first use with a database; its result is kept for that database. */
export function prepared<T>(build: (db: Database) => T): (db: Database) => T {
  const byDatabase = new WeakMap<Database, T>()
  return (db) => {
    const known = byDatabase.get(db)
    if (known !== undefined) return known
    const made = build(db)
    byDatabase.set(db, made)
    return made
  }
}
