// A second, read-only connection, for worker threads and for other looks at the file that must never write.
import BetterSqlite3 from 'better-sqlite3'
import type { Sqlite } from './client.ts'
import { openFault } from './faults.ts'
import { busyTimeoutMs } from './retry.ts'

/**
 * Opens an existing database read-only. Each statement sees the last commit; keep statements short, because a snapshot
 * that stays open keeps the write-ahead log from being emptied. The caller closes it.
 * @param path the database file, absolute
 * @throws GatewayError as `openDatabase` does
 */
export function openReader(path: string): Sqlite {
  try {
    const sqlite = new BetterSqlite3(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
    sqlite.pragma('query_only = ON')
    return sqlite
  } catch (error) {
    throw openFault(error, path)
  }
}
