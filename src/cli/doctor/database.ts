// Checks of the database, through a connection that can only read.
import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { refuseForeign } from '../../db/file.ts'
import { openFault } from '../../db/faults.ts'
import { appliedMigrations, findMigrations } from '../../db/migrations.ts'
import { openReader } from '../../db/reader.ts'
import { GatewayError } from '../../errors.ts'
import { memoryIndex } from '../../search/memory-index.ts'
import { countProblems } from '../../search/recount.ts'
import type { Sqlite } from '../../search/spec.ts'
import { type Finding, fail, ok } from './finding.ts'

export interface DatabaseFindings {
  readonly findings: readonly Finding[]
  /** True when a gateway can open the file without changing it. */
  readonly isCurrent: boolean
}

/** Version, integrity, and whether the search index counts what is there. */
export function checkDatabase({ databasePath }: Config): DatabaseFindings {
  if (!existsSync(databasePath)) {
    return { findings: [ok('database', `${databasePath} will be made at the first start`)], isCurrent: false }
  }
  try {
    const migrations = findMigrations()
    refuseForeign(databasePath, migrations)
    const reader = openReader(databasePath)
    try {
      const version = appliedMigrations(reader)?.length ?? 0
      const behind = version < migrations.length ? `, brought to version ${migrations.length} at the next start` : ''
      const integrity = integrityOf(
        reader.pragma('integrity_check(5)', { simple: true }),
        reader.pragma('foreign_key_check'),
      )
      return {
        findings: [
          ok('database', `${databasePath}, schema version ${version}${behind}`),
          integrity,
          ...(behind === '' && integrity.status === 'ok' ? indexFindings(reader) : []),
        ],
        isCurrent: behind === '' && integrity.status === 'ok',
      }
    } finally {
      reader.close()
    }
  } catch (error) {
    const fault = openFault(error, databasePath)
    if (!(fault instanceof GatewayError)) throw fault
    return { findings: [fail('database', fault.message, fault.hint ?? 'Do as the message says.')], isCurrent: false }
  }
}

/** Nothing where no gateway of today has made the index yet. */
function indexFindings(reader: Sqlite): Finding[] {
  const { name } = memoryIndex
  const made = reader.prepare(`SELECT 1 FROM sqlite_schema WHERE name = ?`).get(`${name}_index_state`)
  if (made === undefined) return []
  const problems = reader.transaction(() => countProblems(reader, name))()
  return problems.length === 0
    ? [ok('search index', 'counts what is stored')]
    : [
        fail(
          'search index',
          `counts something else than what is stored: ${problems.join('; ')}`,
          'Start the gateway again: it mends its index at the start. Stop older versions that write to the same folder.',
        ),
      ]
}

function integrityOf(pages: unknown, orphans: unknown): Finding {
  if (pages !== 'ok')
    return fail(
      'integrity',
      `the database is damaged: ${String(pages)}`,
      'Stop every gateway and put back a copy of the file.',
    )
  if (Array.isArray(orphans) && orphans.length > 0)
    return fail(
      'integrity',
      'the database holds rows whose parents are gone',
      'Put back a copy of the file, and report this.',
    )
  return ok('integrity', 'sound')
}
