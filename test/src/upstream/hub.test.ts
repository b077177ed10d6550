// One source over several external servers: lists, calls, results as they came, and what is there before any of them runs.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findSources } from '../../../src/upstream/queries.ts'
import { recorded } from '../../fixtures/upstream/fake-record.ts'
import { askable, fakeSpec, specOf, stand, textOf } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryDatabase, temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000

const branch = (name: string): object => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})

test('tools of several servers stand in one list and reach their own server', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one'), fakeSpec('two', { era: '2026' })])
  assert.deepEqual(at.names(), [])
  await at.ready('one_echo')
  await at.ready('two_echo')
  assert.equal(textOf(await at.call('one_echo', { message: 'a' })), 'Echo: a')
  assert.equal(textOf(await at.call('two_echo', { message: 'b' })), 'Echo: b')
  assert.equal(at.source.areaOf?.('two_echo'), 'two')
  assert.equal(at.status('one').status, 'ready')
  await until(() => at.changes.some((change) => change.kind === 'tools'))
})

test('what was stored is listed at once, and the server starts when it is called', { timeout }, async (t) => {
  const database = await temporaryDatabase(t)
  const spec = fakeSpec('one')
  const first = await stand(t, [spec], { database })
  await first.ready('one_echo')
  assert.ok(first.source.content?.prompts(first.context().caller).length)
  await first.hub.close()
  const second = await stand(t, [spec], { database })
  assert.ok(second.names().includes('one_echo'))
  second.hub.start()
  assert.equal(second.status('one').status, 'idle')
  const { epoch } = second.source
  assert.equal(textOf(await second.call('one_echo', { message: 'x' })), 'Echo: x')
  await until(() => second.status('one').pending === 0)
  assert.equal(second.source.epoch, epoch, 'nothing changed')
})

test('other settings make nothing of what was stored', { timeout }, async (t) => {
  const database = await temporaryDatabase(t)
  const first = await stand(t, [fakeSpec('one')], { database })
  await first.ready('one_echo')
  await first.hub.close()
  const second = await stand(t, [fakeSpec('one', {}, { fingerprint: 'other' })], { database })
  assert.deepEqual(second.names(), [])
})

test('results come as they are: errors, odd content, unknown fields; addresses become ours', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one'), fakeSpec('two', { era: '2026' })])
  for (const id of ['one', 'two']) {
    await at.ready(`${id}_refuse`)
    const refused = await at.call(`${id}_refuse`)
    assert.deepEqual(refused, {
      isError: true,
      content: [{ type: 'text', text: 'quota exceeded' }],
      structuredContent: { code: 'Q' },
    })
    assert.deepEqual((await at.call(`${id}_misfit`)).structuredContent, { n: '42' })
    const lines = at.hub.logs(id).map(({ message }) => message)
    assert.deepEqual(
      lines.filter((line) => line.includes('output schema')),
      ['a result of "misfit" does not fit its output schema: "n" is not of type number'],
    )
    const whole = await at.call(`${id}_content`)
    assert.deepEqual(Reflect.get(whole, 'futureField'), { kept: true })
    assert.deepEqual(Object.keys(whole).toSorted(), ['content', 'futureField'])
    assert.equal(Reflect.get(whole.content[0] ?? {}, 'unknownField'), 1)
    assert.equal(Reflect.get(whole.content[3] ?? {}, 'resource').uri, `${id}+memo://two`)
    assert.equal(Reflect.get(whole.content[4] ?? {}, 'uri'), `${id}+file:///notes/one.txt`)
  }
})

test('long names are short, distinct and lead to the original', { timeout }, async (t) => {
  const long = 'calendar_events_list_with_attendees_and_conference_details_'
  const tools = [`${long}v1`, `${long}v2`, 'x'.repeat(128)]
  const at = await stand(t, [fakeSpec('google-workspace-enterprise', { onlyTools: tools }), fakeSpec('b')])
  at.hub.start()
  await until(() => at.names().filter((name) => name.startsWith('google')).length === 3)
  for (const name of at.names()) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  const origins = at.names().flatMap((name) => at.source.originOf?.(name)?.original ?? [])
  for (const tool of tools) assert.ok(origins.includes(tool))
  const [first = ''] = at.names()
  assert.equal(textOf(await at.call(first, { a: 1 })), `${long}v1: {"a":1}`)
})

test('pages are followed, a loop is not', { timeout }, async (t) => {
  const at = await stand(t, [
    fakeSpec('paged', { onlyTools: [], count: 14, pageSize: 8 }),
    fakeSpec('many', { onlyTools: [], count: 250, pageSize: 50 }),
    fakeSpec('loop', { onlyTools: [], count: 14, pageSize: 8, loop: true }),
  ])
  await at.ready('paged_tool_014')
  await at.ready('many_tool_250')
  await at.ready('loop_tool_008')
  assert.equal(at.names().length, 14 + 250 + 8)
  assert.ok(at.hub.logs('loop').some(({ message }) => message.includes('same cursor')))
})

test(
  'a root that is a choice is listed flat and called as written; one bad entry costs nobody else',
  { timeout },
  async (t) => {
    const choice = { oneOf: [branch('id'), branch('url')] }
    const onlyTools = [{ name: 'set_page', inputSchema: choice }, { title: 'nameless' }, 'plain']
    const at = await stand(t, [fakeSpec('one', { onlyTools })])
    await at.ready('one_plain')
    assert.deepEqual(at.names(), ['one_set_page', 'one_plain'])
    const [listed] = at.source.list(at.context().caller)
    assert.equal(listed?.inputSchema['type'], 'object')
    assert.equal(listed?.inputSchema['oneOf'], undefined)
    assert.deepEqual(at.source.originOf?.('one_set_page')?.inputSchema, choice)
    assert.equal(textOf(await at.call('one_set_page', { url: 'x' })), 'set_page: {"url":"x"}')
  },
)

test(
  'tools that the operator left out are neither listed nor called; only confirmed ones read',
  { timeout },
  async (t) => {
    const at = await stand(t, [fakeSpec('one', {}, { allow: ['echo', 'pid', 'die'], deny: ['die'], reads: ['pid'] })])
    await at.ready('one_echo')
    assert.deepEqual(at.names().toSorted(), ['one_echo', 'one_pid'])
    assert.equal((await at.fails('one_die')).code, 'UNKNOWN_TOOL')
    assert.equal(at.source.effect?.('one_pid'), 'read')
    assert.equal(at.source.effect?.('one_echo'), 'write')
  },
)

test('one dead server costs nobody else, and says why', { timeout }, async (t) => {
  const none = { kind: 'stdio' as const, command: 'no-such-binary', args: [], env: {} }
  const at = await stand(t, [
    fakeSpec('one'),
    specOf('none', { target: none }),
    fakeSpec('bad', { exit: { code: 1, stderr: 'ERR missing key' } }),
  ])
  await at.ready('one_echo')
  assert.equal(textOf(await at.call('one_echo', { message: 'a' })), 'Echo: a')
  await until(() => at.status('none').status === 'failed' && at.status('bad').status === 'failed')
  assert.match(at.status('bad').lastError ?? '', /ERR missing key/)
  assert.equal(at.status('one').status, 'ready')
})

test('who is not known yet sees what others see, also when that changes', { timeout }, async (t) => {
  const odd = { name: 'echo', inputSchema: { type: 'object' }, outputSchema: null }
  const at = await stand(t, [fakeSpec('one', { tools: [odd] })], { limits: { connectionsMax: 1 } })
  await at.ready('one_echo')
  const caller = askable('a')
  assert.ok(at.names(caller).includes('one_echo'))
  await at.call('one_add_tool', { name: 'late' })
  await until(() => at.names().includes('one_late'))
  assert.ok(at.names(caller).includes('one_late'))
  assert.deepEqual((await at.call('one_echo', { message: 'x', whole: true })).structuredContent, { message: 'x' })
})

test('what is kept of a server goes with its settings, not with a mistake in them', { timeout }, async (t) => {
  const database = await temporaryDatabase(t)
  const [one, two] = [fakeSpec('one'), fakeSpec('two')]
  const first = await stand(t, [one, two], { database })
  await first.ready('one_echo')
  await first.ready('two_echo')
  await first.hub.apply({ specs: [one], problems: [{ id: 'two', message: 'unreadable' }] })
  await first.hub.apply({ specs: [one, two], problems: [] })
  assert.ok(first.names().includes('two_echo') || first.source.areas?.().length === 2)
  await first.ready('two_echo')
  await first.hub.apply({ specs: [one], problems: [] })
  await until(() => findSources(database).length === 1)
  await first.hub.close()
  const second = await stand(t, [], { database })
  assert.deepEqual(findSources(database), ['one'])
  second.hub.start()
  await until(() => findSources(database).length === 0)
})

test('a hub that is closed starts nothing, whoever still calls', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_echo')
  const waiting = at.fails('one_never')
  await until(() => at.status('one').pending === 1)
  await at.hub.close()
  assert.match((await waiting).message, /ONE/)
  const starts = recorded(record, 'start').length
  for (const caller of [askable('a'), askable('b'), at.context().caller])
    assert.match((await at.fails('one_echo', {}, { caller })).message, /switched off/)
  assert.equal(recorded(record, 'start').length, starts)
})

test(
  'what a server says by itself is kept short, and of resources only what somebody wants to hear',
  { timeout },
  async (t) => {
    const at = await stand(t, [fakeSpec('one')], { limits: { logLines: 5 } })
    await at.ready('one_notify')
    const data = 'x'.repeat(100_000)
    for (let turn = 0; turn < 10; turn++) await at.call('one_notify', { method: 'notifications/odd', params: { data } })
    const busy = at.call('one_slow', { ms: 300 }, { caller: askable('other', '') })
    for (let turn = 0; turn < 10; turn++) await at.call('one_log', { data })
    await busy
    const lines = at.hub.logs('one')
    assert.equal(lines.length, 5)
    for (const { detail } of lines) assert.ok(detail.length < 3_000)
    await at.call('one_update', { uri: 'memo://two' })
    assert.equal(
      at.changes.some(({ kind }) => kind === 'resource'),
      false,
    )
  },
)
