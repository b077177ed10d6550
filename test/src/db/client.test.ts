import assert from 'node:assert/strict'
import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { temporaryDatabase, temporaryFolder } from './temporary.ts'

const options = { timeout: 10_000 }

test('an open database keeps its promises about durability, waiting and foreign keys', options, async (t) => {
  const db = await temporaryDatabase(t)
  const pragma = (name: string): unknown => db.sqlite.pragma(name, { simple: true })
  assert.equal(pragma('journal_mode'), 'wal')
  assert.equal(pragma('synchronous'), 2)
  assert.equal(pragma('foreign_keys'), 1)
  assert.ok(Number(pragma('busy_timeout')) <= 50)
  assert.deepEqual(db.sqlite.pragma('foreign_key_check'), [])
})

test('the data folder and everything in it are for its owner only', options, async (t) => {
  const folder = join(temporaryFolder(t), 'deep', 'data')
  const db = await temporaryDatabase(t, { dataDir: folder })
  await db.write((tx) => tx.sqlite.exec(`INSERT INTO settings VALUES ('a', '1', 1)`))
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(db.path + suffix).mode & 0o777, 0o600, suffix)
})

test(
  'a folder of ours that everybody may write in is closed to them, unless nobody can replace files there',
  options,
  async (t) => {
    for (const [before, after] of [
      [0o777, 0o775],
      [0o757, 0o755],
      [0o1777, 0o1777],
      [0o2770, 0o2770],
    ] as const) {
      const folder = temporaryFolder(t)
      chmodSync(folder, before)
      await temporaryDatabase(t, { dataDir: folder })
      assert.equal(statSync(folder).mode & 0o7777, after, before.toString(8))
    }
  },
)

test('the tables are these and no others', options, async (t) => {
  const db = await temporaryDatabase(t)
  const names = db.sqlite
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all()
  assert.deepEqual(names, [
    '__drizzle_migrations',
    'audit',
    'authorizations',
    'client_documents',
    'client_profiles',
    'consents',
    'context_ledger',
    'context_proposals',
    'context_sections',
    'dreams',
    'leases',
    'local_tokens',
    'login_failures',
    'memories',
    'memory_embeddings',
    'memory_tags',
    'notifications',
    'oauth_clients',
    'oauth_tokens',
    'one_time_codes',
    'operator_sessions',
    'operators',
    'schedules',
    'secrets',
    'settings',
    'spent_confirmations',
    'upstream_definitions',
  ])
})

test('a repeatable script runs at each start and its objects come back when they are lost', options, async (t) => {
  const dataDir = temporaryFolder(t)
  const repeatable = [
    `CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5 (text); CREATE TABLE IF NOT EXISTS counted (n)`,
  ]
  const first = await openDatabase({ dataDir, repeatable })
  await first.write((tx) => tx.sqlite.exec(`INSERT INTO found VALUES ('kept'); DROP TABLE counted`))
  await first.close()
  const second = await temporaryDatabase(t, { dataDir, repeatable })
  assert.equal(second.sqlite.prepare(`SELECT text FROM found WHERE found MATCH 'kept'`).pluck().get(), 'kept')
  assert.equal(second.sqlite.prepare('SELECT count(*) FROM counted').pluck().get(), 0)
})

test('closing waits for accepted writes, leaves no log behind, and refuses later writes', options, async (t) => {
  const dataDir = temporaryFolder(t)
  const db = await openDatabase({ dataDir })
  const accepted = db.write((tx) => tx.sqlite.prepare(`INSERT INTO settings VALUES ('a', '1', 1)`).run().changes)
  const closed = db.close()
  await assert.rejects(
    db.write(() => 1),
    { code: 'DATABASE_CLOSED' },
  )
  assert.equal(await accepted, 1)
  await closed
  await db.close()
  assert.equal(existsSync(`${db.path}-wal`), false)
  const again = await temporaryDatabase(t, { dataDir })
  assert.equal(again.sqlite.prepare('SELECT count(*) FROM settings').pluck().get(), 1)
})

test('the rules of the schema hold in the file itself', options, async (t) => {
  const db = await temporaryDatabase(t)
  const memory = `INSERT INTO memories (uid, content, importance, created_at, updated_at) VALUES`
  const section = `INSERT INTO context_sections (section_key, section_title, content, device_id, project_id, updated_at) VALUES`
  await db.write((tx) => tx.sqlite.exec(`${memory} ('u1', 'c', 5, 1, 1); INSERT INTO memory_tags VALUES (1, 'auth')`))
  const scopes = [`NULL, NULL`, `'laptop', NULL`, `NULL, 1`, `'laptop', 1`]
  for (const scope of scopes) await db.write((tx) => tx.sqlite.exec(`${section} ('identity', 't', 'c', ${scope}, 1)`))
  const refused: readonly [sql: string, code: string][] = [
    [`${memory} ('u2', 'c', 11, 1, 1)`, 'SQLITE_CONSTRAINT_CHECK'],
    [`${memory} ('u2', 'c', 0, 1, 1)`, 'SQLITE_CONSTRAINT_CHECK'],
    [`${memory} ('u1', 'c', 5, 1, 1)`, 'SQLITE_CONSTRAINT_UNIQUE'],
    [`INSERT INTO memory_tags VALUES (1, 'auth')`, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
    [`INSERT INTO memory_tags VALUES (99, 'auth')`, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
    [`INSERT INTO memory_embeddings VALUES (1, 'm', 2, zeroblob(4), 1)`, 'SQLITE_CONSTRAINT_CHECK'],
    [`INSERT INTO local_tokens (name, hash, created_at) VALUES ('n', x'00', 1)`, 'SQLITE_CONSTRAINT_CHECK'],
    [`INSERT INTO notifications (title, priority, created_at) VALUES ('t', 'urgent', 1)`, 'SQLITE_CONSTRAINT_CHECK'],
    ...scopes.map((scope): [string, string] => [
      `${section} ('identity', 't', 'c', ${scope}, 1)`,
      'SQLITE_CONSTRAINT_UNIQUE',
    ]),
  ]
  for (const [sql, code] of refused)
    await assert.rejects(
      db.write((tx) => tx.sqlite.exec(sql)),
      { code },
      sql,
    )
  await db.write((tx) => tx.sqlite.exec('DELETE FROM memories'))
  assert.equal(db.sqlite.prepare('SELECT count(*) FROM memory_tags').pluck().get(), 0)
})

test('an id is never given twice, even after its row is gone', options, async (t) => {
  const db = await temporaryDatabase(t)
  const insert = (uid: string) =>
    db.write((tx) =>
      tx.sqlite.prepare(`INSERT INTO memories (uid, content, created_at, updated_at) VALUES (?, 'c', 1, 1)`).run(uid),
    )
  const first = await insert('a')
  await db.write((tx) => tx.sqlite.exec('DELETE FROM memories'))
  const second = await insert('b')
  assert.notEqual(first.lastInsertRowid, second.lastInsertRowid)
})
