import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { call, codeOf, gate, idle, readTool, serve, settle, textOf, until } from './fixture.ts'

test('two run, three wait, the sixth is told when to come back; waiters run in order', { timeout: 5000 }, async () => {
  const started: number[] = []
  const gates = Array.from({ length: 5 }, () => gate())
  let count = 0
  const tool = readTool('slow', {
    limits: { activeMax: 2, queueMax: 3 },
    handle: async (input) => {
      started.push(Number(Reflect.get(input, 'id')))
      await gates[count++]?.promise
      return 'done'
    },
  })
  const catalog = serve([tool])
  const calls = [1, 2, 3, 4, 5].map((id) => call(catalog, 'slow', { id }))
  const sixth = await call(catalog, 'slow', { id: 6 })
  assert.equal(codeOf(sixth), 'SERVER_BUSY')
  assert.match(textOf(sixth), /retry_after="\d+"/)
  const { active, waiting } = catalog.stats()
  assert.deepEqual([active, waiting, started], [2, 3, [1, 2]])
  for (const one of gates) {
    one.resolve()
    await settle()
  }
  await Promise.all(calls)
  assert.deepEqual(started, [1, 2, 3, 4, 5])
  assert.ok(idle(catalog))
})

test(
  'a waiter is told to come back when its wait is over, and the runner is not disturbed',
  { timeout: 5000 },
  async () => {
    const open = gate()
    const tool = readTool('slow', {
      limits: { activeMax: 1, queueMax: 3, waitMs: 30 },
      handle: async () => (await open.promise, 'done'),
    })
    const catalog = serve([tool])
    const first = call(catalog, 'slow')
    const waiters = await Promise.all([call(catalog, 'slow'), call(catalog, 'slow')])
    for (const outcome of waiters) assert.equal(codeOf(outcome), 'SERVER_BUSY')
    assert.equal(catalog.stats().active, 1)
    open.resolve()
    assert.equal(textOf(await first), 'done')
    assert.ok(idle(catalog))
  },
)

test(
  'the counters are zero again after any mix of success, throw, rejection and abort',
  { timeout: 60_000 },
  async () => {
    const kind = fc.constantFrom('ok', 'throw', 'later', 'reject', 'abort-soon', 'abort-first', 'bad-presenter')
    await fc.assert(
      fc.asyncProperty(
        fc.array(kind, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 1, max: 3 }),
        async (kinds, activeMax) => {
          let running = 0
          let most = 0
          const tool = readTool('any', {
            limits: { activeMax, queueMax: 20 },
            handle: (input, ctx) => {
              const what = kinds[Number(Reflect.get(input, 'id'))]
              if (what === 'ok') return 'ok'
              if (what === 'throw') throw new Error('no')
              if (what === 'bad-presenter')
                return {
                  toJSON: () => {
                    throw new Error('no')
                  },
                }
              running++
              most = Math.max(most, running)
              const work = async () => {
                await new Promise((resolve) => setImmediate(resolve))
                running--
                if (what === 'reject') throw new Error('no')
                return ctx.signal.aborted ? 'late' : 'ok'
              }
              return work()
            },
          })
          const catalog = serve([tool])
          const outcomes = await Promise.all(
            kinds.map((what, id) => {
              const abort = new AbortController()
              if (what === 'abort-first') abort.abort()
              if (what === 'abort-soon') setImmediate(() => abort.abort())
              return call(catalog, 'any', { id }, { signal: abort.signal })
            }),
          )
          assert.equal(outcomes.length, kinds.length)
          assert.ok(most <= activeMax)
          await until(() => idle(catalog))
        },
      ),
      { numRuns: 120 },
    )
  },
)

test('a long queue of calls that end at once does not grow the stack', { timeout: 20_000 }, async () => {
  const open = gate()
  let first = true
  const tool = readTool('quick', {
    limits: { activeMax: 1, queueMax: 20_000 },
    handle: () => {
      if (!first) return 'quick'
      first = false
      return open.promise.then(() => 'first')
    },
  })
  const catalog = serve([tool])
  const calls = Array.from({ length: 20_000 }, () => call(catalog, 'quick'))
  open.resolve()
  const texts = new Set((await Promise.all(calls)).map(textOf))
  assert.deepEqual(texts, new Set(['first', 'quick']))
  assert.ok(idle(catalog))
})

test('a caller who goes away in the very moment its turn comes leaves no slot behind', { timeout: 5000 }, async () => {
  const ran: number[] = []
  for (const effect of ['read', 'write'] as const) {
    const open = gate()
    const abort = new AbortController()
    const tool = readTool('slow', {
      effect,
      limits: { activeMax: 1, queueMax: 5 },
      handle: async (input) => {
        ran.push(Number(Reflect.get(input, 'id')))
        await open.promise
        return 'done'
      },
    })
    // The end of the first call is told right after its slot and key were handed to the second.
    const catalog = serve([tool], { observers: [{ id: 'end', onEnd: () => abort.abort() }] })
    const first = call(catalog, 'slow', { id: 1 })
    const second = call(catalog, 'slow', { id: 2 }, { signal: abort.signal })
    await settle()
    open.resolve()
    assert.equal(textOf(await first), 'done')
    assert.equal(codeOf(await second), 'CANCELLED')
    await settle()
    assert.ok(idle(catalog), effect)
  }
  assert.ok(!ran.includes(2))
})
