// Profiles over HTTP: named by the address or given to the client, decided when it connects, the same in both eras and on both
// paths; changed by the owner, of which those who listen are told, and by nothing that is called.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { createBus } from '../../../src/runtime/bus.ts'
import { openProfiles } from '../../../src/runtime/profiles/profiles.ts'
import { servers } from '../../../src/servers/index.ts'
import { at, call, initialize, modern, open, openSession, rpc, type Target } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { surfaceBeside } from '../../fixtures/surface/index.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 60_000
const PATH = '/router/mcp'
const under = (profile: string): string => `${PATH}?profile=${profile}`
const changed = (message: unknown): boolean => at(message, 'method') === 'notifications/tools/list_changed'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const running = await startApp(env, { servers: surfaceBeside(servers) })
  t.after(() => running.close())
  const { app } = running
  const as = async (name: string, scopes?: string[]): Promise<Target> => {
    const { secret } = await app.tokens.create({ name, ...(scopes === undefined ? {} : { scopes }) })
    return { port: running.port, token: secret }
  }
  return { running, as, profiles: app.gateway.profiles, hot: wireOf(app).endpoint('router').hot }
}

const toolsIn = (message: unknown): string => JSON.stringify(at(message, 'result.tools'))
const namesIn = (message: unknown): string[] => {
  const tools = at(message, 'result.tools')
  assert.ok(Array.isArray(tools), JSON.stringify(message))
  return tools.map((tool) => String(at(tool, 'name')))
}
const listed = async (to: Target, path: string) => {
  const { status, text, messages } = await rpc(to, { path, ...modern('tools/list') })
  assert.equal(status, 200, text)
  return messages[0]
}

test('an address names a profile, in both eras, on both paths and both transports', { timeout }, async (t) => {
  const { running: to, hot } = await start(t)
  const direct = await listed(to, under('direct'))
  assert.ok(namesIn(direct).includes('crow_store_memory') && !namesIn(direct).includes('crow_memory'))
  assert.deepEqual([at(direct, 'result.cacheScope'), at(direct, 'result.ttlMs')], ['private', 60_000])
  assert.deepEqual(namesIn(await listed(to, PATH)), namesIn(await listed(to, under('router'))))
  assert.ok(namesIn(await listed(to, PATH)).includes('crow_memory'))
  const session = await openSession(to, { path: under('direct') })
  const inSession = async () =>
    (await rpc(to, { path: under('direct'), headers: session.headers, body: call('tools/list') })).messages[0]
  assert.equal(toolsIn(await inSession()), toolsIn(direct))
  assert.equal(hot.counters.answered, 5)
  hot.counters.enabled = false
  assert.equal(toolsIn(await inSession()), toolsIn(direct))
  assert.equal(toolsIn(await listed(to, under('direct'))), toolsIn(direct))
  hot.counters.enabled = true
  const stream = await open(to, { method: 'GET', path: '/router/sse?profile=direct' })
  await until(() => stream.text().includes('endpoint'))
  const messages = /data: (\S+)/.exec(stream.text())?.[1] ?? ''
  assert.match(messages, /^\/router\/messages\?sessionId=[\w-]+&profile=direct$/)
  await rpc(to, { path: messages, body: initialize({}, '2024-11-05') })
  await rpc(to, { path: messages, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
  await rpc(to, { path: messages, body: call('tools/list', undefined, 'sse') })
  assert.equal(toolsIn(await stream.until((message) => at(message, 'id') === 'sse')), toolsIn(direct))
  stream.abort()
})

test('a name that no profile has is 400 with those there are, for whoever was let in', { timeout }, async (t) => {
  const { running: to, profiles } = await start(t)
  await profiles.define('work', { mode: 'direct' })
  for (const [query, said] of [
    ['?profile=dirct', 'dirct'],
    ['?profile=', ''],
    ['?profile=direct&profile=router', ''],
    ['?profile=%00%22', '\\u0000\\"'],
    [`?profile=${'x'.repeat(3000)}`, `${'x'.repeat(64)}…`],
  ] as const)
    for (const sent of [modern('tools/list'), modern('server/discover'), { body: initialize() }]) {
      const refused = await rpc(to, { path: PATH + query, ...sent })
      assert.equal(refused.status, 400)
      const message = String(at(refused.messages[0], 'error.message'))
      assert.ok(message.startsWith(`There is no profile "${said}".`), message)
      assert.equal(at(refused.messages[0], 'error.data.hint'), 'Profiles: router, direct, auto, work.')
    }
  assert.equal((await rpc(to, { method: 'GET', path: '/router/sse?profile=dirct' })).status, 400)
  // A stranger is told the same whether there is one of that name or not: what they wrote themselves.
  const [known, unknown] = await Promise.all(
    ['work', 'none'].map(async (name) => {
      const answer = await rpc({ ...to, token: 'crow_local_none' }, { path: under(name), ...modern('tools/list') })
      return [answer.status, answer.text, answer.headers['www-authenticate']?.replace(name, 'x')]
    }),
  )
  assert.deepEqual(known, unknown)
  assert.match(String(known), /^401,.*resource_metadata="[^"]+\?profile=x"$/)
  // A mount of one server has one list.
  assert.equal((await rpc(to, { path: '/memory/mcp?profile=dirct', ...modern('tools/list') })).status, 200)
})

test('what is called runs under every profile, by either name, with one row', { timeout }, async (t) => {
  const { running, profiles } = await start(t)
  await profiles.define('work', { mode: 'router', pins: ['crow_memory_stats'] })
  const ways = [
    { name: 'crow_memory_stats', arguments: {} },
    { name: 'crow_memory', arguments: { action: 'memory_stats' } },
  ]
  for (const path of [PATH, under('direct'), under('work'), under('gone')])
    for (const params of ways) {
      const answer = await rpc(running, { path, ...modern('tools/call', params) })
      assert.equal(answer.status, 200, answer.text)
      assert.notEqual(at(answer.messages[0], 'result.isError'), true, answer.text)
    }
  await running.app.audit.flush()
  const rows = running.app.database.sqlite
    .prepare("SELECT count(*) FROM audit WHERE tool = 'memory_stats' AND outcome = 'ok'")
    .pluck()
    .get()
  assert.equal(rows, 8)
})

test('pins and direct lists show nobody more than their scopes', { timeout }, async (t) => {
  const { as, profiles } = await start(t)
  await profiles.define('work', { mode: 'router', pins: ['crow_store_memory', 'crow_memory_stats'] })
  const reader = await as('reader', ['memory:read'])
  assert.deepEqual(namesIn(await listed(reader, under('work'))), [
    'crow_memory',
    'crow_tools',
    'crow_discover',
    'crow_memory_stats',
  ])
  assert.ok(!namesIn(await listed(reader, under('direct'))).includes('crow_store_memory'))
  const params = { name: 'crow_store_memory', arguments: { content: 'x' } }
  const refused = await rpc(reader, { path: under('work'), ...modern('tools/call', params) })
  assert.equal(refused.status, 403)
  assert.match(
    refused.headers['www-authenticate'] ?? '',
    /scope="memory".*resource_metadata="[^"]+\/router\/mcp\?profile=work"/,
  )
})

test('a change by the owner is told to whoever listens, and is there in the next list', { timeout }, async (t) => {
  const { running: to, as, profiles } = await start(t)
  const client = await as('desk')
  const other = await as('other')
  const session = await openSession(client, { path: PATH })
  const stream = await open(client, { method: 'GET', path: PATH, headers: session.headers })
  const filter = { notifications: { toolsListChanged: true } }
  const listener = await open(client, { path: PATH, ...modern('subscriptions/listen', filter) })
  await listener.until((message) => at(message, 'method') === 'notifications/subscriptions/acknowledged')
  const inSession = async () =>
    (await rpc(client, { path: PATH, headers: session.headers, body: call('tools/list') })).messages[0]
  const [before, beside] = [toolsIn(await inSession()), toolsIn(await listed(other, PATH))]
  // As `crow profiles set` does, from a process of its own.
  const db = await openDatabase({ path: to.app.database.path })
  t.after(() => db.close())
  const { catalog, clock, log } = to.app
  const command = await openProfiles(db, clock, { watch: false, bus: createBus(), log, catalog: () => catalog })
  const begun = performance.now()
  await command.give('token:desk', 'direct')
  await Promise.all([stream.until(changed), listener.until(changed)])
  assert.ok(performance.now() - begun < 1000, 'within a second')
  assert.notEqual(toolsIn(await inSession()), before)
  assert.equal(toolsIn(await inSession()), toolsIn(await listed(client, PATH)))
  assert.equal(toolsIn(await listed(client, PATH)), toolsIn(await listed(to, under('direct'))))
  assert.equal(toolsIn(await listed(other, PATH)), beside, 'nobody else is shown anything else')
  assert.equal(profiles.list().clients.length, 1)
  stream.abort()
  listener.abort()
})

test(
  'a session keeps the profile of the address it was opened at, and goes on when that is removed',
  { timeout },
  async (t) => {
    const { running: to, profiles, hot } = await start(t)
    await profiles.define('work', { mode: 'direct' })
    const session = await openSession(to, { path: under('work') })
    const ask = async (path: string) => {
      const answer = await rpc(to, { path, headers: session.headers, body: call('tools/list') })
      assert.equal(answer.status, 200, answer.text)
      return toolsIn(answer.messages.at(-1))
    }
    const direct = toolsIn(await listed(to, under('direct')))
    for (const enabled of [true, false]) {
      hot.counters.enabled = enabled
      for (const path of [under('work'), PATH, under('router'), under('nothing')])
        assert.equal(await ask(path), direct, path)
    }
    await profiles.remove('work')
    const routed = toolsIn(await listed(to, PATH))
    for (const enabled of [true, false]) {
      hot.counters.enabled = enabled
      assert.equal(await ask(under('work')), routed)
    }
  },
)

test('auto decides for each caller by what it may use', { timeout }, async (t) => {
  const { running: to, as, profiles } = await start(t)
  const reader = await as('reader', ['blog:read'])
  await profiles.define('fits', { mode: 'auto', budgetTokens: 2000 })
  assert.equal(toolsIn(await listed(reader, under('fits'))), toolsIn(await listed(reader, under('direct'))))
  assert.equal(toolsIn(await listed(to, under('fits'))), toolsIn(await listed(to, PATH)))
})

test('a client that is shown every tool is told of them by their own names', { timeout }, async (t) => {
  const { running: to, profiles } = await start(t)
  await profiles.define('work', { mode: 'router', pins: ['crow_store_memory'] })
  const told = async (path: string) => {
    const found = await rpc(to, { path, ...modern('server/discover') })
    const greeted = await rpc(to, { path, body: initialize() })
    const text = String(at(found.messages[0], 'result.instructions'))
    assert.equal(at(greeted.messages.at(-1), 'result.instructions'), text)
    return text
  }
  const direct = await told(under('direct'))
  assert.match(direct, /`crow_recall_by_context`/)
  assert.match(direct, /^Here: /m)
  assert.doesNotMatch(direct, /\{ action, params \}|`crow_memory |`crow_discover`/)
  const routed = await told(PATH)
  assert.match(routed, /\{ action, params \}/)
  assert.match(routed, /crow_memory store_memory/)
  const pinned = await told(under('work'))
  assert.match(pinned, /`crow_store_memory`/)
  assert.match(pinned, /crow_memory recall_by_context/)
  const mount = String(
    at((await rpc(to, { path: '/memory/mcp', ...modern('server/discover') })).messages[0], 'result.instructions'),
  )
  assert.equal(direct.split('\n')[0], mount.split('\n')[0])
})

test(
  'without a token the program of the owner is a client too, and a restart makes the same bytes',
  { timeout },
  async (t) => {
    const bytes: string[] = []
    for (let starts = 0; starts < 2; starts++) {
      const { running: to, profiles } = await start(t, { CROW_NO_AUTH: '1' })
      await profiles.give('loopback', { mode: 'router', pins: ['crow_memory_stats', 'crow_store_memory'] })
      bytes.push(
        (await rpc(to, { path: PATH, ...modern('tools/list') })).text,
        (await rpc(to, { path: under('direct'), ...modern('tools/list') })).text,
      )
    }
    assert.match(bytes[0] ?? '', /"name":"crow_store_memory"/)
    assert.deepEqual(bytes.slice(0, 2), bytes.slice(2))
  },
)
