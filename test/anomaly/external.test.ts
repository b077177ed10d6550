// External servers that die, hang and crash behind a gateway in use: who was there is served again, and nobody else notices.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, ERAS, namesOf, resultOf, ROUTER, type Ask } from '../fixtures/external/app.ts'
import { composed, isAlive, type Composed } from '../fixtures/external/composed.ts'
import { at, call, modern, open, openSession, rpc, type Received } from '../fixtures/rpc.ts'
import { recorded } from '../fixtures/upstream/fake-record.ts'
import { until } from '../fixtures/until.ts'

const timeout = 120_000
/** The bench holds it to a second; here the machine may be busy with other tests. */
const WORKS_AGAIN_MS_MAX = 8_000
const DISCONNECTS = 100
const PAUSE_MS = 20

const textOf = (answer: Received): string => String(at(resultOf(answer), 'content.0.text'))
const echo = (ask: Ask, id: string): Promise<Received> =>
  ask('tools/call', { name: `${id}_echo`, arguments: { message: 'x' } })
const routed = (ask: Ask, id: string): Promise<Received> =>
  ask('tools/call', { name: 'crow_tools', arguments: { action: `${id}_echo`, params: { message: 'x' } } })

async function clientsOf({ to }: Composed): Promise<(readonly [Ask, typeof echo])[]> {
  const direct = await Promise.all(ERAS.map(async (era) => [await asker(to, era), echo] as const))
  const router = await Promise.all(ERAS.map(async (era) => [await asker(to, era, { path: ROUTER }), routed] as const))
  return [...direct, ...router]
}

const isNever = (message: unknown): boolean => at(message, 'params.name') === 'never'

/** Calls a server all the time, below the limits of a client. */
function beside(clients: Awaited<ReturnType<typeof clientsOf>>, id: string): { stop(): Promise<string[]> } {
  const wrong: string[] = []
  const over = new AbortController()
  const load = clients.map(async ([ask, send]) => {
    while (!over.signal.aborted) {
      const answer = await send(ask, id)
      if (textOf(answer) !== 'Echo: x') wrong.push(answer.text)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })
  return {
    async stop() {
      over.abort()
      await Promise.all(load)
      return wrong
    },
  }
}

test('a child is killed under load: every session works again, siblings never notice', { timeout }, async (t) => {
  const gateway = await composed(t, { one: {}, two: { era: '2026' } })
  await gateway.listed('one_echo', 'two_echo')
  for (const [id, sibling] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    const clients = await clientsOf(gateway)
    const load = beside(clients, sibling)
    t.after(() => load.stop())
    const pending = clients.map(([ask]) => ask('tools/call', { name: `${id}_never`, arguments: {} }))
    await until(() => gateway.received(id, 'tools/call').filter(isNever).length === pending.length)
    const [pid = 0] = gateway.starts(id).filter(isAlive)
    const killed = performance.now()
    process.kill(pid, 'SIGKILL')
    for (const answer of await Promise.all(pending)) {
      assert.equal(at(resultOf(answer), 'isError'), true)
      assert.match(textOf(answer), new RegExp(`${id}[\\s\\S]*SIGKILL`))
    }
    await Promise.all(
      clients.map(async ([ask, send]) => {
        for (;;) {
          const answer = await send(ask, id)
          if (textOf(answer) === 'Echo: x') return
          const tookMs = performance.now() - killed
          assert.ok(tookMs < WORKS_AGAIN_MS_MAX, `${Math.round(tookMs)} ms: ${answer.text}`)
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        }
      }),
    )
    assert.deepEqual(await load.stop(), [])
    assert.equal(gateway.starts(id).filter(isAlive).length, 1)
  }
})

test('a hundred clients go in the middle of a call: cancelled, forgotten, nothing is left', { timeout }, async (t) => {
  const gateway = await composed(t, { one: {} })
  await gateway.listed('one_slow')
  const args = { name: 'one_slow', arguments: { ms: 60_000, steps: 600 } }
  for (let round = 0; round < DISCONNECTS / 10; round++) {
    const streams = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        if (index % 2 === 0) {
          const sent = modern('tools/call', args, { meta: { progressToken: index } })
          return await open(gateway.to, { path: '/tools/mcp', ...sent })
        }
        const { headers } = await openSession(gateway.to, { path: '/tools/mcp' })
        const body = call('tools/call', { ...args, _meta: { progressToken: index } })
        const stream = await open(gateway.to, { path: '/tools/mcp', headers, body })
        await stream.until((message) => at(message, 'method') === 'notifications/progress')
        await rpc(gateway.to, { path: '/tools/mcp', method: 'DELETE', headers })
        return stream
      }),
    )
    for (const stream of streams) stream.abort()
  }
  await until(() => recorded(gateway.record('one'), 'cancelled').length === DISCONNECTS, 'all are cancelled', 20_000)
  await until(() => gateway.status('one').pending === 0)
  assert.equal(textOf(await echo(await asker(gateway.to, '2025'), 'one')), 'Echo: x')
  assert.equal(gateway.starts('one').length, 1)
})

test(
  'what is dead costs nobody anything, is said by health, and explains itself when called',
  { timeout },
  async (t) => {
    const nobody = { url: 'http://127.0.0.1:1/mcp' }
    const missing = { command: 'no-such-binary' }
    const gateway = await composed(t, { well: {}, missing, nobody, mute: { never: true }, gone: { exit: { code: 3 } } })
    await gateway.listed('well_echo')
    const down = ['missing', 'nobody', 'gone']
    await until(
      () => down.every((id) => ['backoff', 'failed', 'open-circuit'].includes(gateway.status(id).status)),
      'down',
    )
    for (const era of ERAS)
      for (const path of ['/tools/mcp', ROUTER]) {
        const ask = await asker(gateway.to, era, { path })
        assert.ok(namesOf(await ask('tools/list')).length > 0)
      }
    const health = await rpc(gateway.to, { path: '/health', method: 'GET' })
    const servers: unknown[] = [...Object(at(health.messages[0], 'externalServers'))]
    const works = servers.filter((server) => Number(at(server, 'tools')) > 0)
    assert.deepEqual(
      works.map((server) => at(server, 'id')),
      ['well'],
    )
    assert.equal(servers.length, 5)
    assert.doesNotMatch(health.text, /no-such-binary|ECONNREFUSED|ended with/)
    gateway.rewrite({ missing, nobody })
    await until(() => gateway.starts('well').every((pid) => !isAlive(pid)))
    for (const era of ERAS) assert.deepEqual(namesOf(await (await asker(gateway.to, era))('tools/list')), [])
    gateway.rewrite({})
    await until(() => gateway.running.app.gateway.externals.source.areas?.().length === 0)
    for (const era of ERAS) assert.deepEqual(namesOf(await (await asker(gateway.to, era))('tools/list')), [])
  },
)

test('at the second start the whole list is there before any server is', { timeout }, async (t) => {
  const slow = Object.fromEntries(
    ['one', 'two', 'three'].map((id) => [id, { delayMs: 300, onlyTools: [`look_${id}`] }] as const),
  )
  const gateway = await composed(t, { ...slow, hangs: { never: true }, crashes: { exit: { code: 1 } } })
  const tools = ['one_look_one', 'two_look_two', 'three_look_three']
  await gateway.listed(...tools)
  await gateway.restart()
  for (const era of ERAS) {
    const listed = namesOf(await (await asker(gateway.to, era))('tools/list'))
    assert.deepEqual(listed.toSorted(), tools.toSorted())
  }
  const health = await rpc(gateway.to, { path: '/health', method: 'GET' })
  assert.equal(at(health.messages[0], 'toolCounts.external'), tools.length)
  for (const id of Object.keys(slow)) assert.equal(gateway.starts(id).length, 1, 'none was needed yet')
})

test('big calls to a server that talks much, and others stay quick', { timeout }, async (t) => {
  const gateway = await composed(t, { big: {}, other: {} })
  await gateway.listed('big_chatty', 'other_echo')
  const ask = await asker(gateway.to, '2026')
  const payload = 'p'.repeat(256 * 1024)
  const done = Promise.all(
    Array.from({ length: 10 }, () => ask('tools/call', { name: 'big_chatty', arguments: { payload, bytes: 100_000 } })),
  )
  for (let turn = 0; turn < 50; turn++) assert.equal(textOf(await echo(ask, 'other')), 'Echo: x')
  for (const answer of await done) assert.ok(answer.text.includes('bbbb'), answer.text.slice(0, 500))
})

test(
  'a cancelled call stops at its own server, under that server’s id, and is answered no more',
  { timeout },
  async (t) => {
    const gateway = await composed(t, { one: {}, two: {} })
    await gateway.listed('one_never', 'two_echo')
    for (const [index, path] of ['/tools/mcp', ROUTER].entries()) {
      const { headers } = await openSession(gateway.to, { path })
      const direct = { name: 'one_never', arguments: {} }
      const params = index === 0 ? direct : { name: 'crow_tools', arguments: { action: 'one_never', params: {} } }
      const cancelled = rpc(gateway.to, { path, headers, body: call('tools/call', params, 101) })
      await until(() => gateway.received('one', 'tools/call').length === index + 1)
      const sent = gateway.received('one', 'tools/call').at(-1)
      const tell = (requestId: unknown): Promise<Received> =>
        rpc(gateway.to, {
          path,
          headers,
          body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
        })
      assert.equal((await tell('nobody')).status, 202)
      assert.equal((await tell(101)).status, 202)
      await until(() => recorded(gateway.record('one'), 'cancelled').length === index + 1, 'cancelled')
      const told = gateway.received('one', 'notifications/cancelled').at(-1)
      assert.equal(at(told, 'params.requestId'), at(sent, 'id'))
      assert.deepEqual((await cancelled).messages, [])
      assert.equal(gateway.status('one').pending, 0)
    }
    assert.deepEqual(gateway.received('two', 'notifications/cancelled'), [])
  },
)
