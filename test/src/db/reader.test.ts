import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { copyDatabase } from '../../../src/db/copy.ts'
import { openReader } from '../../../src/db/reader.ts'
import { temporaryDatabase, temporaryFolder } from './temporary.ts'

const options = { timeout: 10_000 }

test('a reader sees each commit and cannot write', options, async (t) => {
  const db = await temporaryDatabase(t)
  const reader = openReader(db.path)
  t.after(() => reader.close())
  await db.write((tx) => tx.sqlite.exec(`INSERT INTO settings VALUES ('a', '1', 1)`))
  assert.equal(reader.prepare('SELECT count(*) FROM settings').pluck().get(), 1)
  assert.throws(() => reader.exec('DELETE FROM settings'), { code: 'SQLITE_READONLY' })
  assert.throws(() => openReader(join(temporaryFolder(t), 'absent.db')), { code: 'DATA_FOLDER_UNWRITABLE' })
})

test('a reader in a worker thread leaves the locks of the main thread alone', options, async (t) => {
  const db = await temporaryDatabase(t)
  const module = new URL('../../../src/db/reader.ts', import.meta.url).href
  const code = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { openReader } = await import(workerData.module)
    const reader = openReader(workerData.path)
    parentPort.postMessage(reader.prepare('SELECT count(*) FROM leases').pluck().get())
    reader.close()`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: { module, path: db.path },
  })
  const [answer] = await Promise.all([
    new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    new Promise((resolve) => worker.once('exit', resolve)),
  ])
  assert.equal(answer, 0)
  await db.write((tx) => tx.sqlite.exec(`INSERT INTO leases VALUES ('a', 'b', 1)`))
  assert.ok(existsSync(`${db.path}-wal`))
})

test('a copy holds what was committed, for its owner only, and is one file', options, async (t) => {
  const db = await temporaryDatabase(t)
  await db.write((tx) => tx.sqlite.exec(`INSERT INTO settings VALUES ('a', '1', 1)`))
  const destination = join(temporaryFolder(t), 'copy.db')
  await copyDatabase(db.path, destination)
  const copy = openReader(destination)
  t.after(() => copy.close())
  assert.equal(copy.prepare('SELECT key FROM settings').pluck().get(), 'a')
  assert.equal(statSync(destination).mode & 0o777, 0o600)
  assert.equal(existsSync(`${destination}-wal`), false)
  assert.equal(existsSync(`${destination}.partial`), false)
})
