// Whether a database of memories is sound: the file, the rows, and the search index against the rows.
import assert from 'node:assert/strict'
import type { Database, Sqlite } from '../../src/db/client.ts'
import { prepareTotals, WaitingTally } from '../../src/search/counts.ts'
import { readPostings } from '../../src/search/postings.ts'

function ids(sqlite: Sqlite, sql: string): unknown[] {
  return sqlite.prepare(sql).pluck().all()
}

/** The index holds the living memories and no others, and its statistics are what they were counted from. */
function assertIndexAgrees(sqlite: Sqlite): void {
  const living = ids(sqlite, 'SELECT id FROM memories WHERE deleted_at IS NULL ORDER BY id')
  assert.deepEqual(ids(sqlite, 'SELECT rowid FROM memory_fts ORDER BY rowid'), living, 'full text against rows')
  assert.deepEqual(ids(sqlite, 'SELECT id FROM memory_docs ORDER BY id'), living, 'ranking data against rows')
  const counted = new Map<number, number>()
  for (const terms of sqlite.prepare<[], string>('SELECT terms FROM memory_docs').pluck().iterate()) {
    readPostings(terms, (term) => counted.set(term, (counted.get(term) ?? 0) + 1))
  }
  const frequencies = new Map(new WaitingTally(sqlite, 'memory').read().frequencies)
  for (const [term, df] of sqlite.prepare<[], [number, number]>('SELECT term, df FROM memory_df').raw().iterate()) {
    frequencies.set(term, df + (frequencies.get(term) ?? 0))
  }
  assert.deepEqual(frequencies, counted, 'term frequencies')
  assert.equal(prepareTotals(sqlite, 'memory')().rows, living.length, 'rows counted by the index')
}

/** @throws AssertionError naming what is wrong */
export async function assertSound(db: Database): Promise<void> {
  const { sqlite } = db
  assert.equal(sqlite.pragma('integrity_check', { simple: true }), 'ok')
  assert.deepEqual(sqlite.pragma('foreign_key_check'), [])
  sqlite.transaction(assertIndexAgrees)(sqlite)
  await db.write((tx) => tx.sqlite.exec(`INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')`))
}
