// What runs beside the answers: begins with the gateway, ends with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { temporaryFolder } from '../../src/db/temporary.ts'

const timeout = 30_000

test('a schedule that came due while nothing ran fires once after the start', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const due = Date.now() - 60_000
  const before = await openDatabase({ dataDir })
  const insert =
    'INSERT INTO schedules (task, cron_expression, next_run_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?)'
  await before.write(({ sqlite }) => sqlite.prepare(insert).run('water the plants', '0 9 * * *', due, due, due))
  await before.close()

  const app = await buildApp(loadConfig({ CROW_DATA_DIR: dataDir, CROW_LOG_LEVEL: 'silent' }))
  t.after(() => app.close())
  const fired = app.database.sqlite.prepare('SELECT count(*) FROM notifications').pluck()
  const deadline = Date.now() + 10_000
  while (fired.get() === 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(fired.get(), 1)
  await app.close()
  assert.equal(app.database.sqlite.open, false)
})
