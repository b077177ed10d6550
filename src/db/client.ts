// The one handle on the database: reads are synchronous, writes go through a queue that commits them in groups.
import { join, resolve } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { useFault, openFault } from './faults.ts'
import { prepareFile, refuseForeign } from './file.ts'
import { findMigrations } from './migrations.ts'
import type { Migration } from './migrations.ts'
import { migrate } from './migrate.ts'
import { busyTimeoutMs, whenFree } from './retry.ts'
import { guardVersion } from './version-guard.ts'
import { WriteQueue, writeLimits } from './write-queue.ts'
import type { WriteLimits } from './write-queue.ts'

/** The raw better-sqlite3 handle. */
export type Sqlite = BetterSqlite3.Database
/** Drizzle over that same connection, without relational schema. */
type Orm = BetterSQLite3Database

/** What a write gets: the same connection, at a moment when it is inside a transaction. */
export interface Tx {
  readonly orm: Orm
  readonly sqlite: Sqlite
}

export interface Database {
  /** The file, absolute. */
  readonly path: string
  /** For cold reads and dynamic filters. Hot reads are prepared once per database. */
  readonly orm: Orm
  /** For full-text search and prepared hot reads. Never write through it outside `write`. */
  readonly sqlite: Sqlite
  /**
   * Runs `work`, which is synchronous, in a transaction that holds the write lock from its start. Resolves with its
   * result once that is on disk; rejects with what it threw, having undone it. Writes of one turn of the loop share a commit.
   * @throws GatewayError DATABASE_BUSY (another process held the lock for 8 s, or 4096 writes wait), DATABASE_FULL,
   *   DATABASE_IO, DATABASE_READONLY, DATABASE_CORRUPT, DATABASE_CLOSED; DomainError DATABASE_NEWER where a newer version
   *   has changed the schema meanwhile
   */
  write<T>(work: (tx: Tx) => T): Promise<T>
  /**
   * Runs a synchronous read again, on a timer, while SQLite is busy recovering from another process's death.
   * @throws DomainError DATABASE_NEWER, as `write` does
   */
  read<T>(work: (tx: Tx) => T): Promise<T>
  /** Waits for the accepted writes, empties the write-ahead log and closes. Later writes are refused. Repeatable. */
  close(): Promise<void>
}

/** The parts of a logger we use; pino has them. */
export interface DatabaseLog {
  info(fields: object, message: string): void
}

export interface OpenOptions {
  /** The folder; the file in it is `crow.db`. */
  readonly dataDir?: string
  /** The file itself, instead of a folder. */
  readonly path?: string
  /** SQL run after the migrations at each start; see `repeatable.ts`. */
  readonly repeatable?: readonly string[]
  /** The folder with `meta/_journal.json`; found by walking up from this module unless given. */
  readonly migrationsFolder?: string
  readonly log?: DatabaseLog
  readonly limits?: Partial<WriteLimits>
}

/** How long a start waits for another process that migrates or writes. */
const openWaitMs = 30_000
const walBytesMax = 16 * 1024 * 1024
/**
 * The write after so many pages copies the log into the database and waits for it: some 10 ms, about twice as long as for half as
 * many pages at most, since most pages are in the log several times. So it should be rare, and short enough for the loop.
 */
export const walPagesMax = 2000

async function connect(path: string): Promise<Sqlite> {
  const sqlite = new BetterSqlite3(path, { timeout: busyTimeoutMs })
  try {
    const mode = await whenFree(() => sqlite.pragma('journal_mode = WAL', { simple: true }), openWaitMs)
    if (mode !== 'wal') throw Object.assign(new Error('no write-ahead log'), { code: 'SQLITE_IOERR_SHMOPEN' })
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma(`journal_size_limit = ${walBytesMax}`)
    sqlite.pragma(`wal_autocheckpoint = ${walPagesMax}`)
    sqlite.pragma('foreign_keys = OFF')
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

async function openSqlite(path: string, options: OpenOptions, migrations: readonly Migration[]): Promise<Sqlite> {
  prepareFile(path)
  await whenFree(() => refuseForeign(path, migrations), openWaitMs)
  const sqlite = await connect(path)
  try {
    await migrate({
      sqlite,
      path,
      migrations,
      repeatable: options.repeatable ?? [],
      waitMs: openWaitMs,
      log: options.log,
    })
    sqlite.pragma('foreign_keys = ON')
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/**
 * Opens the database, creating folder (0700) and file (0600), and brings it to this version. Several processes may do so
 * at once. Where the file belongs to a newer version nothing is written.
 * @throws DomainError DATABASE_NEWER, DATABASE_UNKNOWN; GatewayError DATA_FOLDER_INVALID, DATA_FOLDER_UNWRITABLE,
 *   DATABASE_FULL, DATABASE_CORRUPT, DATABASE_BUSY, DATABASE_BINDING, DATABASE_IO, DATABASE_MIGRATION
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const path = resolve(options.path ?? join(options.dataDir ?? '.', 'crow.db'))
  let sqlite: Sqlite
  let migrations: readonly Migration[]
  try {
    migrations = findMigrations(options.migrationsFolder)
    sqlite = await openSqlite(path, options, migrations)
  } catch (error) {
    throw openFault(error, path)
  }
  const orm: Orm = drizzle(sqlite)
  const tx: Tx = Object.freeze({ orm, sqlite })
  const permit = guardVersion(sqlite, migrations)
  const queue = new WriteQueue(sqlite, tx, permit, { ...writeLimits, ...options.limits })
  let closed: Promise<void> | undefined

  const write = <T>(work: (tx: Tx) => T): Promise<T> => queue.write(work)

  const read = async <T>(work: (tx: Tx) => T): Promise<T> => {
    try {
      return await whenFree(() => (permit(), work(tx)), writeLimits.waitMs)
    } catch (error) {
      throw useFault(error)
    }
  }

  const close = async (): Promise<void> => {
    await queue.drain()
    try {
      sqlite.pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // A full disk, for one. What was acknowledged is safe in the log, and the next start reads it from there.
      options.log?.info({ err: error }, 'the write-ahead log stays beside the database')
    } finally {
      sqlite.close()
    }
  }

  return Object.freeze({ path, orm, sqlite, write, read, close: () => (closed ??= close()) })
}
