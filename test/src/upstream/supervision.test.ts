// Servers that die, hang, crash and come back, and settings that change under load.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Change } from '../../../src/runtime/bus.ts'
import { received, recorded } from '../../fixtures/upstream/fake-record.ts'
import { ANYONE, askable, fakeSpec, specOf, stand, textOf } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000

const alive = (pid: unknown): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

test('calls under way when a server dies fail at once and say so; the next one works', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record }), fakeSpec('two')])
  await at.ready('one_die')
  await at.ready('two_echo')
  const before = performance.now()
  const [killed, other] = await Promise.all([at.fails('one_die'), at.fails('one_never')])
  assert.ok(performance.now() - before < 2_000)
  for (const { message } of [killed, other]) assert.match(message, /ONE ended.*SIGKILL/)
  assert.match(other.recovery, /may have been done/)
  assert.equal(textOf(await at.call('one_echo', { message: 'again' })), 'Echo: again')
  assert.equal(textOf(await at.call('two_echo', { message: 'other' })), 'Echo: other')
  assert.equal(at.status('one').restarts, 1)
  assert.equal(recorded(record, 'start').length, 2)
})

test('a confirmed read is made once more when its server dies, a write never', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record }, { reads: ['die'] })])
  await at.ready('one_die')
  assert.match((await at.fails('one_die')).message, /SIGKILL/)
  assert.equal(received(record, 'tools/call').length, 2)
  await at.call('one_echo')
  const never = at.fails('one_never')
  await until(() => received(record, 'tools/call').length === 4)
  await Promise.all([never, at.fails('one_die')])
  const calls = received(record, 'tools/call').filter(({ params }) => JSON.stringify(params).includes('"never"'))
  assert.equal(calls.length, 1)
})

test(
  'a server that dies of every call is given up for a while, then tried again without a word',
  { timeout },
  async (t) => {
    const record = join(temporaryFolder(t), 'record')
    const at = await stand(t, [fakeSpec('one', { record })], { limits: { failuresMax: 3 } })
    await at.ready('one_die')
    for (let turn = 0; turn < 3; turn++) assert.match((await at.fails('one_die')).message, /ended/)
    const refused = await at.fails('one_echo')
    assert.match(refused.message, /failed again and again and is tried next in/)
    assert.ok((refused.retryAfterMs ?? 0) > 0)
    assert.equal(at.status('one').status, 'failed')
    assert.equal(at.status('one').circuit, 'open')
    assert.match(at.status('one').lastError ?? '', /SIGKILL/)
    await until(() => at.status('one').circuit === 'closed')
    assert.equal(textOf(await at.call('one_echo', { message: 'back' })), 'Echo: back')
    for (const { pid } of recorded(record, 'start').slice(0, -1)) assert.equal(alive(pid), false)
  },
)

test(
  'a server that never gets ready and one that crashes at once are failed within the limit',
  { timeout },
  async (t) => {
    const folder = temporaryFolder(t)
    const hangs = join(folder, 'hangs')
    const crashes = join(folder, 'crashes')
    const at = await stand(
      t,
      [
        fakeSpec('hangs', { never: true, record: hangs }),
        fakeSpec('crashes', { exit: { code: 1, stderr: 'ERR missing key' }, record: crashes }),
      ],
      { limits: { startTimeoutMs: 500, failuresMax: 2, pauseMs: 60_000 } },
    )
    at.hub.start()
    await until(() => at.status('hangs').circuit === 'open' && at.status('crashes').circuit === 'open')
    assert.equal(at.status('hangs').status, 'failed')
    assert.match(at.status('crashes').lastError ?? '', /ERR missing key/)
    await at.hub.close()
    for (const { pid } of [...recorded(hangs, 'start'), ...recorded(crashes, 'start')]) assert.equal(alive(pid), false)
  },
)

test('a cancelled call is cancelled at its server, and nobody else hears of it', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const [one, two] = [join(folder, 'one'), join(folder, 'two')]
  const at = await stand(t, [fakeSpec('one', { record: one }), fakeSpec('two', { record: two })])
  await at.ready('one_slow')
  await at.ready('two_slow')
  for (const caller of [ANYONE, askable('a')]) {
    const controller = new AbortController()
    const slow = at.fails('one_slow', { ms: 30_000 }, { caller, signal: controller.signal })
    const fast = at.call('two_slow', { ms: 100 }, { caller })
    const sent = (): Record<string, unknown> | undefined => received(one, 'tools/call').at(-1)
    const count = received(one, 'notifications/cancelled').length
    await until(() => received(one, 'tools/call').length > count)
    controller.abort(new Error('gone'))
    const before = performance.now()
    assert.equal((await slow).code, 'CANCELLED')
    await until(() => received(one, 'notifications/cancelled').length > count)
    assert.ok(performance.now() - before < 500)
    const cancelled = received(one, 'notifications/cancelled').at(-1)
    assert.equal(Reflect.get(Object(cancelled?.['params']), 'requestId'), sent()?.['id'])
    await fast
    await until(() => at.status('one').pending === 0)
  }
  assert.equal(received(two, 'notifications/cancelled').length, 0)
})

test('progress extends the deadline of a call, and reaches its caller in order', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one', {}, { timeoutMs: 5_000, toolTimeoutsMs: { slow: 400 } })])
  await at.ready('one_slow')
  const steps: number[] = []
  const reply = await at.call('one_slow', { ms: 900, steps: 9 }, { progress: (done) => void steps.push(done) })
  assert.equal(textOf(reply), 'done')
  assert.deepEqual(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal((await at.fails('one_slow', { ms: 900 })).code, 'TIMEOUT')
})

test('a server is told which messages its caller wants', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('old', { record, era: '2025' }), fakeSpec('new', { era: '2026' })])
  await at.ready('old_echo')
  await until(() => recorded(record, 'in').some(({ message }) => Object(message).method === 'logging/setLevel'))
  await at.ready('new_received')
  const { structuredContent } = await at.call('new_received', {}, { logLevel: 'warning' })
  const meta: unknown = Reflect.get(Object(structuredContent?.['params']), '_meta')
  assert.equal(Reflect.get(Object(meta), 'io.modelcontextprotocol/logLevel'), 'warning')
})

test('only the trace of a caller goes on', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one')])
  await at.ready('one_received')
  const trace = { traceId: 'a'.repeat(32), parentId: 'b'.repeat(16), sampled: true, tracestate: 'x=1' }
  const { structuredContent } = await at.call('one_received', { a: 1 }, { trace })
  const params: unknown = structuredContent?.['params']
  const meta = { ...Object(Reflect.get(Object(params), '_meta')) }
  delete meta.progressToken
  assert.deepEqual(meta, { traceparent: `00-${trace.traceId}-${trace.parentId}-01`, tracestate: 'x=1' })
  assert.deepEqual(Reflect.get(Object(params), 'arguments'), { a: 1 })
})

test('a server that nobody uses is stopped, and started by the next call', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record }, { idleMs: 200 })])
  await at.ready('one_echo')
  await until(() => at.status('one').status === 'idle')
  await until(() => !alive(recorded(record, 'start')[0]?.['pid']))
  assert.equal(textOf(await at.call('one_echo', { message: 'up' })), 'Echo: up')
  assert.equal(at.status('one').restarts, 0)
  assert.equal(recorded(record, 'start').length, 2)
})

test('lists change while it runs: the list, the epoch and the bus within a moment', { timeout }, async (t) => {
  for (const era of ['2025', '2026']) {
    const at = await stand(t, [fakeSpec('one', { era })])
    await at.ready('one_add_tool')
    await until(() => at.changes.length > 0)
    const heard: Change[] = []
    at.bus.on((change) => void heard.push(change))
    const before = at.source.epoch
    await at.call('one_add_tool', { name: 'late_one' })
    const since = performance.now()
    await until(() => heard.length > 0)
    assert.ok(performance.now() - since < 300)
    assert.ok(at.names().includes('one_late_one'))
    assert.ok(at.source.epoch > before)
    assert.deepEqual(heard, [{ kind: 'tools', server: 'tools' }])
    assert.equal(textOf(await at.call('one_late_one')), 'late_one: {}')
  }
})

test('a server that says all the time that its list changed is asked now and then', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_change')
  await Promise.all(Array.from({ length: 200 }, () => at.call('one_change')))
  assert.ok(received(record, 'tools/list').length < 20)
  assert.equal(at.status('one').pending, 0)
})

test('changed settings restart one server and cost the others nothing', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const [one, two] = [fakeSpec('one', { record }), fakeSpec('two')]
  const at = await stand(t, [one, two])
  await at.ready('one_echo')
  await at.ready('two_echo')
  const calls = Array.from({ length: 100 }, async (_, index) => {
    if (index % 10 === 9) await new Promise((resolve) => setImmediate(resolve))
    return textOf(await at.call('two_slow', { ms: index }))
  })
  const last = at.call('one_slow', { ms: 150 })
  const changed = fakeSpec('one', { record, name: 'renamed', tools: ['fresh'] })
  await at.hub.apply({ specs: [changed, two], problems: [] })
  assert.equal(textOf(await last), 'done', 'a call under way ends first')
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['done']))
  await until(() => at.names().includes('one_fresh'))
  assert.equal(alive(recorded(record, 'start')[0]?.['pid']), false)
  await at.hub.apply({ specs: [{ ...changed, enabled: false, fingerprint: 'off' }, two], problems: [] })
  assert.deepEqual(
    at.names().filter((name) => name.startsWith('one')),
    [],
  )
  assert.equal(at.status('one').status, 'disabled')
  assert.equal((await at.fails('one_fresh')).code, 'UNKNOWN_TOOL')
  await at.hub.apply({ specs: [two], problems: [] })
  assert.deepEqual(at.source.areas?.(), [{ id: 'two', title: 'TWO' }])
  for (const { pid } of recorded(record, 'start')) assert.equal(alive(pid), false)
})

test('a change that the server does not see keeps its list', { timeout }, async (t) => {
  const one = fakeSpec('one')
  const at = await stand(t, [one])
  await at.ready('one_echo')
  await at.hub.apply({ specs: [{ ...one, deny: ['echo'], fingerprint: 'denied' }], problems: [] })
  assert.ok(at.names().includes('one_pid'))
  assert.equal(at.names().includes('one_echo'), false)
})

test('twenty servers, three that hang and two that crash: the rest is there soon', { timeout }, async (t) => {
  const specs = Array.from({ length: 20 }, (_, index) => {
    const script = index < 3 ? { never: true } : index < 5 ? { exit: { code: 1 } } : { onlyTools: ['only'] }
    return fakeSpec(`s${index}`, script)
  })
  const at = await stand(t, specs, { limits: { slowStartMs: 500 } })
  const before = performance.now()
  at.hub.start()
  await until(() => at.names().length === 15, 'all that are well are listed', 20_000)
  assert.ok(performance.now() - before < 15_000)
  const states = Map.groupBy(at.source.statuses?.() ?? [], ({ status }) => status)
  assert.equal(states.get('ready')?.length, 15)
})

test('two hundred callers come and go: no child is left', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record, onlyTools: ['echo'] })], { limits: { connectionsMax: 3 } })
  await at.ready('one_echo')
  for (let turn = 0; turn < 40; turn++)
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => at.call('one_echo', {}, { caller: askable(`${turn}-${index}`) })),
    )
  assert.ok((at.status('one').connections ?? 0) <= 3)
  assert.ok(recorded(record, 'start').length <= 3)
  await at.hub.close()
  for (const { pid } of recorded(record, 'start')) assert.equal(alive(pid), false)
})

test('where clients must not meet, each has a server of its own', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one', {}, { isolation: 'client' })], { limits: { connectionsMax: 3 } })
  await at.ready('one_pid')
  const pidOf = async (id: string): Promise<string> =>
    textOf(await at.call('one_pid', {}, { caller: { ...ANYONE, id } }))
  const [a, b] = [await pidOf('a'), await pidOf('b')]
  assert.notEqual(a, b)
  assert.equal(await pidOf('a'), a)
  await until(() => at.status('one').connections === 2)
  await pidOf('c')
  assert.ok((at.status('one').connections ?? 0) <= 3)
})

test('a command that is no server is not started again and again', { timeout }, async (t) => {
  let starts = 0
  const target = { kind: 'stdio' as const, command: 'false', args: [], env: {} }
  const at = await stand(t, [specOf('one', { target })], {
    open: () => {
      starts++
      return Promise.reject(new Error('no'))
    },
    limits: { failuresMax: 3, pauseMs: 60_000 },
  })
  at.hub.start()
  await until(() => at.status('one').circuit === 'open')
  assert.equal(starts, 3)
})
