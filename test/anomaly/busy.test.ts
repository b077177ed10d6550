import assert from 'node:assert/strict'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { temporaryDatabase } from '../src/db/temporary.ts'
import { startChild } from './children.ts'
import type { Child } from './children.ts'

const script = join(import.meta.dirname, 'database-child.ts')

function start(t: TestContext): Child {
  const child = startChild(script)
  t.after(() => child.end())
  return child
}

test(
  'eight processes write five hundred times each, while one holds the lock for a second, and nothing is lost',
  { timeout: 60_000 },
  async (t) => {
    const db = await temporaryDatabase(t)
    await db.write((tx) => tx.sqlite.exec(`INSERT INTO settings VALUES ('counter', '0', 1)`))
    const writers = Array.from({ length: 8 }, () => start(t))
    const holder = start(t)
    await Promise.all(writers.map((writer) => writer.ask({ do: 'open', path: db.path })))
    const work = writers.map((writer) => writer.ask({ do: 'count', writes: 500, lanes: 4 }))
    assert.deepEqual(await holder.ask({ do: 'hold', path: db.path, ms: 1000 }), { held: true })
    for (const { failures, worstMs } of await Promise.all(work)) {
      assert.deepEqual(failures, [])
      assert.ok(Number(worstMs) < 5000, `a write took ${String(worstMs)} ms`)
    }
    assert.equal(db.sqlite.prepare(`SELECT value FROM settings WHERE key = 'counter'`).pluck().get(), '4000')
    const perProcess = db.sqlite.prepare('SELECT count(*) FROM audit GROUP BY caller').pluck().all()
    assert.deepEqual(
      perProcess,
      Array.from({ length: 8 }, () => 500),
    )
  },
)

test(
  'while another process holds the lock for a second the loop stays free and every write arrives',
  { timeout: 30_000 },
  async (t) => {
    const db = await temporaryDatabase(t)
    const insert = db.sqlite.prepare(`INSERT INTO settings VALUES (?, '1', 1)`)
    const holder = start(t)
    assert.deepEqual(await holder.ask({ do: 'hold', path: db.path, ms: 1000 }), { held: true })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const started = performance.now()
    const free = new AbortController()
    const released = holder.next().then(() => free.abort())
    let count = 0
    const lane = async (): Promise<void> => {
      while (!free.signal.aborted) await db.write(() => insert.run(String(count++)))
    }
    await Promise.all([released, ...Array.from({ length: 8 }, lane)])
    delay.disable()
    const p99Ms = delay.percentile(99) / 1e6
    t.diagnostic(
      `event-loop delay p99 ${p99Ms.toFixed(1)} ms, last write after ${(performance.now() - started).toFixed(0)} ms`,
    )
    assert.ok(p99Ms <= 60, `event-loop delay p99 ${p99Ms} ms`)
    assert.equal(db.sqlite.prepare('SELECT count(*) FROM settings').pluck().get(), count)
  },
)

test('of several processes that want a lease at the same time one has it', { timeout: 30_000 }, async (t) => {
  const db = await temporaryDatabase(t)
  const takers = Array.from({ length: 3 }, () => start(t))
  await Promise.all(takers.map((taker) => taker.ask({ do: 'open', path: db.path })))
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      takers.map((taker, index) => taker.ask({ do: 'lease', name: `round${round}`, holder: `h${index}`, now: 1 })),
    )
    assert.equal(answers.filter((answer) => answer['taken'] === true).length, 1)
  }
})
