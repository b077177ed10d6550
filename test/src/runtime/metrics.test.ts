import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/runtime/fault.ts'
import { BUCKETS_MS, createMetrics, type Series } from '../../../src/runtime/metrics.ts'
import { readResource } from '../../../src/runtime/read.ts'
import { call, gate, owner, readTool, serve, until } from './fixture.ts'

const timeout = 10_000

/** A monotonic clock that moves by what the test says, once per call of a tool. */
function steppedClock() {
  let at = 0
  return { now: () => 1_000_000, monotonicMs: () => at, step: (ms: number) => void (at += ms) }
}

const seriesOf = (series: readonly Series[], tool: string): Series =>
  series.find((each) => each.tool === tool) ?? assert.fail(`no series ${tool}`)

test('calls are counted by how they ended, and their durations fall into buckets', { timeout }, async () => {
  const metrics = createMetrics()
  const clock = steppedClock()
  const durations = [0.0625, 0.25, 7, 60_000, 60_001]
  const catalog = serve(
    [
      readTool('timed', { handle: () => (clock.step(durations.shift() ?? 0), 'één') }),
      readTool('missing', { handle: () => fault('NOT_FOUND', 'no') }),
      readTool('broken', {
        handle: () => {
          throw new Error('x')
        },
      }),
    ],
    { clock, observers: [metrics] },
  )
  for (let count = 0; count < 5; count++) await call(catalog, 'timed')
  for (const name of ['missing', 'missing', 'broken']) await call(catalog, name)
  await call(catalog, 'timed', { nope: 1 })
  const { bucketsMs, series } = metrics.snapshot()
  assert.deepEqual(
    series.map(({ kind, server, tool }) => [kind, server, tool]),
    [
      ['tool', 'shop', 'broken'],
      ['tool', 'shop', 'missing'],
      ['tool', 'shop', 'timed'],
    ],
  )
  const timed = seriesOf(series, 'timed')
  assert.deepEqual([timed.calls, timed.outcomes, timed.systemFaults], [6, { ok: 5, VALIDATION_ERROR: 1 }, 0])
  assert.ok(timed.bytes > 25)
  const { buckets, max } = timed.durationMs
  assert.equal(max, 60_001)
  assert.equal(buckets.length, bucketsMs.length + 1)
  const filled = buckets.flatMap((count, at) => (count === 0 ? [] : [[bucketsMs[at], count]]))
  assert.deepEqual(filled, [
    [0.1, 2],
    [0.25, 1],
    [10, 1],
    [60_000, 1],
    [undefined, 1],
  ])
  assert.deepEqual(seriesOf(series, 'missing').outcomes, { NOT_FOUND: 2 })
  assert.deepEqual([seriesOf(series, 'broken').systemFaults, seriesOf(series, 'missing').systemFaults], [1, 0])
  assert.deepEqual(
    BUCKETS_MS.toSorted((a, b) => a - b),
    BUCKETS_MS,
  )
})

test(
  'names that callers invent are one series, and beyond the bound everything new is another',
  { timeout },
  async () => {
    const metrics = createMetrics(4)
    const tools = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => readTool(name))
    const catalog = serve(tools, { observers: [metrics] })
    for (let index = 0; index < 1000; index++) await call(catalog, `invented_${index}`)
    for (let index = 0; index < 100; index++)
      await readResource(catalog, { caller: owner, server: `s${index}`, uri: `x://${index}` })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'f']) await call(catalog, name)
    assert.deepEqual(
      metrics.snapshot().series.map(({ kind, server, tool, calls }) => [kind, server, tool, calls]),
      [
        ['tool', '(other)', '(other)', 5],
        ['resource', '(unknown)', '(unknown)', 100],
        ['tool', '(unknown)', '(unknown)', 1000],
        ['tool', 'shop', 'a', 1],
        ['tool', 'shop', 'b', 1],
      ],
    )
  },
)

test('a snapshot does not change afterwards, and a late end is counted', { timeout }, async () => {
  const metrics = createMetrics()
  const open = gate()
  const catalog = serve([readTool('slow', { handle: () => open.promise.then(() => 'late') })])
  const off = catalog.observe(metrics)
  const abort = new AbortController()
  const answer = call(catalog, 'slow', {}, { signal: abort.signal })
  abort.abort()
  await answer
  const before = metrics.snapshot()
  open.resolve()
  await until(() => metrics.snapshot().series[0]?.late === 1)
  assert.deepEqual([before.series[0]?.late, before.series[0]?.outcomes], [0, { CANCELLED: 1 }])
  off()
  assert.equal(catalog.engine.hooks, undefined)
  await call(catalog, 'slow')
  assert.equal(metrics.snapshot().series[0]?.calls, 1)
})
