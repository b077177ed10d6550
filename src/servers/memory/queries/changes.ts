// Whether anything was written, here or by another process: two numbers that SQLite keeps anyway.
import type { Database } from '../../../db/client.ts'
import { prepared } from './prepared.ts'

const statements = prepared((db) => ({
  own: db.sqlite.prepare<[], { changes: number }>('SELECT total_changes() AS changes'),
}))

/** Differs from an earlier mark when a row was changed by this connection, or another connection committed. */
export function changeMark(db: Database): string {
  return `${statements(db).own.get()?.changes} ${String(db.sqlite.pragma('data_version', { simple: true }))}`
}
