// Objects that a table rebuild would silently drop (full-text tables, triggers, statistics) are not migrated: their SQL is
// repeated at each start, after the migrations and inside the same transaction.
import type { Sqlite } from './client.ts'

/**
 * Runs scripts that may be run any number of times (`CREATE … IF NOT EXISTS`).
 * @param scripts whole SQL scripts, without transaction statements
 */
export function runRepeatable(sqlite: Sqlite, scripts: readonly string[]): void {
  for (const script of scripts) sqlite.exec(script)
}
