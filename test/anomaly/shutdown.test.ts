// The process is asked to end while it works. The long form of the first test is shutdown-load.ts.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import Database from 'better-sqlite3'
import { modern, rpc } from '../fixtures/rpc.ts'
import { until } from '../fixtures/sse.ts'
import { startChild } from './children.ts'
import { problemsOf, runShutdownLoad } from './shutdown-load.ts'

const TIMEOUT = { timeout: 60_000 }

test('under load everything that was let in is answered, and the process ends in time', TIMEOUT, async () => {
  const options = { seconds: 3, perSecond: 200, connections: 20, drainMs: 1_000, longMs: 10_000 }
  const report = await runShutdownLoad(options)
  assert.deepEqual(problemsOf(report, options), [])
})

async function start(t: TestContext, drainMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'crow-shutdown-'))
  const dataDir = join(folder, 'data')
  const env = { CROW_DATA_DIR: dataDir, CROW_LOG_LEVEL: 'error', CROW_SHUTDOWN_DRAIN_MS: String(drainMs) }
  const child = startChild(join(import.meta.dirname, 'shutdown-child.ts'), [join(folder, 'accepted')], { env })
  t.after(async () => {
    if (child.process.exitCode === null && child.process.signalCode === null) await child.end()
    rmSync(folder, { recursive: true, force: true })
  })
  const ready = await child.next()
  return { child, dataDir, to: { port: Number(ready['port']), token: String(ready['token']) } }
}

test('a second signal ends the process at once', TIMEOUT, async (t) => {
  const { child, to } = await start(t, 30_000)
  const call = rpc(to, { path: '/load/mcp', ...modern('tools/call', { name: 'work', arguments: { ms: 20_000 } }) })
  const broken = assert.rejects(call)
  await rpc(to, { method: 'GET', path: '/health' })
  child.process.kill('SIGTERM')
  await assertRefusing(to)
  const exited = once(child.process, 'exit')
  const askedAt = performance.now()
  child.process.kill('SIGTERM')
  await exited
  assert.equal(child.process.exitCode, 128 + 15)
  assert.ok(performance.now() - askedAt < 2_000)
  await broken
})

/** Waits until new connections are refused: the first signal has been taken. */
async function assertRefusing(to: { port: number; token: string }): Promise<void> {
  let isRefused = false
  const look = (): void =>
    void rpc(to, { method: 'GET', path: '/health' }).then(
      () => (isRefused ? undefined : setTimeout(look, 20)),
      () => (isRefused = true),
    )
  look()
  await until(() => isRefused, 'new connections are refused')
}

test('with nothing to wait for it ends at once, and what was written is in the database file', TIMEOUT, async (t) => {
  const { child, dataDir, to } = await start(t, 30_000)
  const memory = { content: 'The bakery closes on Mondays.' }
  const stored = modern('tools/call', { name: 'crow_store_memory', arguments: memory })
  assert.equal((await rpc(to, { path: '/memory/mcp', ...stored })).status, 200)
  const exited = once(child.process, 'exit')
  const askedAt = performance.now()
  child.process.kill('SIGTERM')
  assert.deepEqual(await child.next(), { draining: true })
  assert.deepEqual(await child.next(), { closed: true, open: false })
  await exited
  assert.ok(performance.now() - askedAt < 3_000)
  const wal = join(dataDir, 'crow.db-wal')
  assert.ok(!existsSync(wal) || statSync(wal).size === 0)
})

test('a database that another program holds does not keep the process', TIMEOUT, async (t) => {
  const { child, dataDir, to } = await start(t, 300)
  const holder = new Database(join(dataDir, 'crow.db'))
  t.after(() => holder.close())
  // Its row of the audit waits to be written.
  assert.equal(
    (await rpc(to, { path: '/load/mcp', ...modern('tools/call', { name: 'work', arguments: { ms: 0 } }) })).status,
    200,
  )
  holder.exec('BEGIN IMMEDIATE')
  const exited = once(child.process, 'exit')
  const askedAt = performance.now()
  child.process.kill('SIGTERM')
  await exited
  const tookMs = performance.now() - askedAt
  assert.equal(child.process.exitCode, 0, 'everybody was answered')
  assert.ok(tookMs <= 300 + 1_000, `it took ${tookMs} ms`)
})
