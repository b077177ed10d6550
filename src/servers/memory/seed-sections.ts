// Gives a new database its crow.md sections. What a person changed or switched off is never touched again.
import type { Database } from '../../db/client.ts'
import { DEFAULT_SECTIONS } from './default-sections.ts'
import { findSection, insertSection } from './queries/sections.ts'

const GLOBAL = { deviceId: null, projectId: null }

/** Inserts the built-in sections that are absent. Safe at every start, from several processes. @returns how many were new */
export async function seedSections(db: Database, clock: { now(): number }): Promise<number> {
  const absent = DEFAULT_SECTIONS.filter(({ key }) => findSection(db, key, GLOBAL) === undefined)
  if (absent.length === 0) return 0
  const inserted = await db.write(() =>
    absent.map((section) => insertSection(db, { ...GLOBAL, ...section }, clock.now())).filter((id) => id !== undefined),
  )
  return inserted.length
}
