import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { definePresenter } from '../../../src/runtime/presenter.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, gate, idle, memoryLog, readTool, serve, settle, textOf, until } from './fixture.ts'

test(
  'handlers that ignore their abort give the slot back within a second, and their late results are discarded',
  { timeout: 10_000 },
  async () => {
    const open = gate()
    const log = memoryLog()
    const late: boolean[] = []
    const tool = readTool('stuck', {
      limits: { activeMax: 2, queueMax: 2 },
      handle: (input) => (Reflect.get(input, 'id') === 0 ? 'normal' : open.promise.then(() => 'late')),
    })
    const catalog = serve([tool], { log, observers: [{ id: 'late', onLate: (event) => void late.push(event.ok) }] })
    const aborts = [new AbortController(), new AbortController()]
    const stuck = aborts.map((abort, index) => call(catalog, 'stuck', { id: index + 1 }, { signal: abort.signal }))
    await settle()
    const normal = call(catalog, 'stuck', { id: 0 })
    await settle()
    const dropped = performance.now()
    for (const abort of aborts) abort.abort()
    for (const outcome of await Promise.all(stuck)) assert.equal(codeOf(outcome), 'CANCELLED')
    assert.ok(performance.now() - dropped < 100, 'the answer comes at once')
    assert.equal(textOf(await normal), 'normal')
    assert.ok(performance.now() - dropped < 1000, 'the slot is free within a second')
    await until(() => catalog.stats().abandoned === 2)
    assert.equal(catalog.stats().active, 0)
    open.resolve()
    await until(() => idle(catalog))
    assert.deepEqual(late, [true, true])
    assert.equal(log.lines.filter((line) => line.message?.includes('discarded')).length, 2)
  },
)

test('handlers that ignore their abort cannot pile up without bound', { timeout: 10_000 }, async () => {
  const open = gate()
  let running = 0
  const tool = readTool('stuck', {
    limits: { activeMax: 1, queueMax: 0 },
    handle: async () => {
      running++
      await open.promise
      running--
      return 'late'
    },
  })
  const catalog = serve([tool], { abandonedGraceMs: 1 })
  for (let round = 0; round < 10; round++) {
    const abort = new AbortController()
    const one = call(catalog, 'stuck', {}, { signal: abort.signal })
    await settle()
    abort.abort()
    await one
    await until(() => catalog.engine.deadlines.armed === 0)
  }
  assert.equal(running, 5)
  assert.equal(codeOf(await call(catalog, 'stuck')), 'SERVER_BUSY')
  open.resolve()
  await until(() => idle(catalog))
})

test(
  'a writer that ignores its abort keeps its key until it ends, or until the hard limit',
  { timeout: 10_000 },
  async () => {
    const open = gate()
    const started: number[] = []
    const tool = readTool('write', {
      effect: 'write',
      handle: async (input) => {
        started.push(Number(Reflect.get(input, 'id')))
        if (Reflect.get(input, 'id') === 1) await open.promise
        return 'written'
      },
    })
    const abort = new AbortController()
    const patient = serve([tool], { abandonedGraceMs: 20, lockHoldMs: 60_000 })
    const first = call(patient, 'write', { id: 1 }, { signal: abort.signal })
    const second = call(patient, 'write', { id: 2 })
    await settle()
    abort.abort()
    assert.equal(codeOf(await first), 'CANCELLED')
    await until(() => patient.stats().abandoned === 1)
    assert.deepEqual(started, [1])
    open.resolve()
    assert.equal(textOf(await second), 'written')
    await until(() => idle(patient))

    const never = gate()
    const hard = serve(
      [
        readTool('write', {
          effect: 'write',
          handle: (input) => (Reflect.get(input, 'id') === 1 ? never.promise.then(() => 'late') : 'written'),
        }),
      ],
      { lockHoldMs: 60 },
    )
    const again = new AbortController()
    const stuck = call(hard, 'write', { id: 1 }, { signal: again.signal })
    const next = call(hard, 'write', { id: 2 })
    again.abort()
    await stuck
    assert.equal(textOf(await next), 'written')
    never.resolve()
    await until(() => idle(hard))
  },
)

test(
  'the deadline answers TIMEOUT, tells the handler, and is cleared when the handler is quick',
  { timeout: 5000 },
  async () => {
    let reason: unknown
    const tool = readTool('slow', {
      limits: { deadlineMs: 40 },
      handle: (_input, ctx) =>
        new Promise<string>((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => {
            reason = ctx.signal.reason
            reject(ctx.signal.reason)
          })
        }),
    })
    const log = memoryLog()
    const catalog = serve([tool, readTool('quick', { handle: async () => 'quick' })], { log })
    const outcome = await call(catalog, 'slow')
    assert.equal(codeOf(outcome), 'TIMEOUT')
    assert.ok(reason instanceof DOMException && reason.name === 'TimeoutError')
    await until(() => idle(catalog))
    assert.equal(log.lines.filter((line) => line.level === 'error').length, 0)
    await call(catalog, 'quick')
    assert.equal(catalog.engine.deadlines.armed, 0)
  },
)

test('a call whose caller has gone before it began does not run', { timeout: 5000 }, async () => {
  let ran = false
  const catalog = serve([readTool('one', { handle: () => ((ran = true), 'ran') })])
  assert.equal(codeOf(await call(catalog, 'one', {}, { signal: AbortSignal.abort() })), 'CANCELLED')
  assert.equal(ran, false)
})

test('a signal given as a function is not made for a call that never waits', { timeout: 5000 }, async () => {
  let made = 0
  const signal = () => {
    made++
    return new AbortController().signal
  }
  const catalog = serve([readTool('now'), readTool('later', { handle: async () => 'later' })])
  await call(catalog, 'now', {}, { signal })
  assert.equal(made, 0)
  await call(catalog, 'later', {}, { signal })
  assert.equal(made, 1)
})

test('reading ctx.signal after a wait does not stop the early answer', { timeout: 5000 }, async () => {
  const abort = new AbortController()
  const open = gate()
  const tool = readTool('slow', {
    handle: async (_input, ctx) => {
      await new Promise((resolve) => setImmediate(resolve))
      void ctx.signal.aborted
      await open.promise
      return 'late'
    },
  })
  const catalog = serve([tool])
  const outcome = call(catalog, 'slow', {}, { signal: abort.signal })
  await settle()
  abort.abort()
  assert.equal(codeOf(await outcome), 'CANCELLED')
  open.resolve()
  await until(() => idle(catalog))
})

test(
  'a throw in the handler, in a presenter step and in the lock key all free the slot',
  { timeout: 5000 },
  async () => {
    const presenter = definePresenter({
      schema: Type.Object({ id: Type.Integer() }),
      rules: () => {
        throw new Error('rule')
      },
    })
    const catalog = serve([
      readTool('throws', {
        handle: () => {
          throw new Error('sync')
        },
      }),
      readTool('presents', { present: presenter, handle: () => ({ id: 1 }) }),
      defineTool({
        name: 'locks',
        summary: 'Locks.',
        description: 'Locks.',
        effect: 'write',
        serializeBy: () => {
          throw new Error('key')
        },
        handle: () => 'x',
      }),
    ])
    for (const name of ['throws', 'presents', 'locks']) {
      assert.equal(codeOf(await call(catalog, name)), 'INTERNAL_ERROR', name)
      assert.ok(idle(catalog), name)
    }
  },
)
