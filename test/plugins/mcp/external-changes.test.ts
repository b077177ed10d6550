// What changes at an external server is heard, found and callable at once, wherever a client is connected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, externalApp, namesOf, ROUTER, TOOLS, type ExternalApp } from '../../fixtures/external/app.ts'
import { NOTE } from '../../fixtures/external/content.ts'
import { tool } from '../../fixtures/external/source.ts'
import { at, call, modern, open, openSession, rpc, type Stream } from '../../fixtures/rpc.ts'
import { startSse } from '../../fixtures/sse.ts'
import { until } from '../../fixtures/until.ts'

const TIMEOUT = { timeout: 30_000 }
/** From the change to the last of those who listen. */
const HEARD_MS_MAX = 100
const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
const KINDS = ['tools', 'prompts', 'resources']
const NOTE_URI = String(NOTE['uri'])

const isMethod = (method: string) => (message: unknown) => at(message, 'method') === method
const isAcknowledged = isMethod('notifications/subscriptions/acknowledged')
const isUpdate = isMethod('notifications/resources/updated')

async function listen({ running }: ExternalApp, path: string, notifications: object = LISTS): Promise<Stream> {
  const stream = await open(running, { path, ...modern('subscriptions/listen', { notifications }) })
  await stream.until(isAcknowledged)
  return stream
}

async function hold({ running }: ExternalApp, path: string): Promise<Stream> {
  const { headers } = await openSession(running, { path })
  return open(running, { path, method: 'GET', headers })
}

test(
  'a tool that appears is heard of by every open stream, listed, found by search and callable',
  TIMEOUT,
  async (t) => {
    const external = await externalApp(t)
    const { running, source } = external
    const sse = await startSse(running, '/tools/sse')
    const streams = [
      await hold(external, TOOLS),
      await hold(external, ROUTER),
      await listen(external, TOOLS),
      await listen(external, ROUTER),
      sse.stream,
    ]
    const elsewhere = [await hold(external, '/memory/mcp'), await listen(external, '/memory/mcp')]
    const router = await asker(running, '2026', { path: ROUTER })
    const find = (query: string) =>
      router('tools/call', { name: 'crow_discover', arguments: { category: 'tools', query } })
    assert.doesNotMatch((await find('zeppelin')).text, /zeppelin/)
    for (const [index, name] of ['files_zeppelin', 'files_second'].entries()) {
      const heard = streams.map((stream) => countOf(stream))
      const begun = performance.now()
      if (index === 0) source.add(tool(name))
      else source.remove('files_zeppelin')
      await until(() => streams.every((stream, place) => countOf(stream) >= (heard[place] ?? 0) + KINDS.length))
      const tookMs = performance.now() - begun
      assert.ok(tookMs <= HEARD_MS_MAX, `${Math.round(tookMs)} ms`)
      const has = index === 0
      assert.equal((await find('zeppelin')).text.includes('files_zeppelin'), has)
      assert.equal(namesOf(await (await asker(running, '2025'))('tools/list')).includes('files_zeppelin'), has)
      const args = { name: 'crow_tools', arguments: { action: 'files_zeppelin', params: {} } }
      const answer = await router('tools/call', args)
      assert.equal(answer.text.includes('files_zeppelin {}'), has, answer.text)
    }
    for (const stream of elsewhere) assert.equal(countOf(stream), 0, 'nothing of theirs has changed')
  },
)

const countOf = (stream: Stream): number => stream.text().split('list_changed"').length - 1

for (const path of [TOOLS, ROUTER])
  test(`${path}: a watched resource is told to who watches it, and watched no longer than that`, TIMEOUT, async (t) => {
    const external = await externalApp(t)
    const { running, source } = external
    const { watched } = source.content
    const { headers } = await openSession(running, { path })
    const stream = await open(running, { path, method: 'GET', headers })
    const ask = (method: string) => rpc(running, { path, headers, body: call(method, { uri: NOTE_URI }) })
    assert.equal((await ask('resources/subscribe')).status, 200)
    const other = await listen(external, path, { resourceSubscriptions: [NOTE_URI] })
    assert.deepEqual([...watched], [NOTE_URI])
    source.content.touch(NOTE_URI)
    for (const each of [stream, other]) assert.equal(at(await each.until(isUpdate), 'params.uri'), NOTE_URI)
    other.abort()
    await ask('resources/unsubscribe')
    await until(() => watched.size === 0)
    await ask('resources/subscribe')
    assert.deepEqual([...watched], [NOTE_URI])
    await rpc(running, { path, method: 'DELETE', headers })
    await until(() => watched.size === 0)
  })

test('what may not be read may not be watched either', TIMEOUT, async (t) => {
  const { source, scoped } = await externalApp(t)
  const to = await scoped('tools:github')
  const filter = { notifications: { resourceSubscriptions: [NOTE_URI] } }
  const refused = await rpc(to, { path: TOOLS, ...modern('subscriptions/listen', filter) })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /tools:files:read/)
  assert.equal(source.content.watched.size, 0)
})

for (const path of [TOOLS, ROUTER])
  test(`${path}: a call that its client takes back is aborted where it runs, in both eras`, TIMEOUT, async (t) => {
    const { running, source } = await externalApp(t)
    const params = path === TOOLS ? { name: 'files_wait' } : { name: 'crow_tools', arguments: { action: 'files_wait' } }
    const { headers } = await openSession(running, { path, capabilities: { elicitation: {} } })
    const started = source.started()
    const answer = rpc(running, { path, headers, body: call('tools/call', params, 101) })
    await started
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 101 } }
    await rpc(running, { path, headers, body: cancel })
    assert.equal((await answer).status, 202)
    assert.deepEqual(source.aborted, ['files_wait'])

    const again = source.started()
    const stream = await open(running, { path, ...modern('tools/call', params, { meta: { progressToken: 1 } }) })
    await again
    stream.abort()
    await until(() => source.aborted.length === 2)
  })

test('progress and log messages of a call get to the client, each on the stream it holds', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  const { headers } = await openSession(running, { path: TOOLS })
  const held = await open(running, { path: TOOLS, method: 'GET', headers })
  const plain = rpc(running, { path: TOOLS, headers, body: call('tools/call', { name: 'files_wait' }, 1) })
  const log = await held.until(isMethod('notifications/message'))
  assert.deepEqual(at(log, 'params'), { level: 'warning', data: { slow: true }, logger: 'files' })
  const params = { name: 'files_wait', _meta: { progressToken: 'p' } }
  const stream = await open(running, { path: TOOLS, headers, body: call('tools/call', params, 2) })
  const progress = await stream.until(isMethod('notifications/progress'))
  assert.deepEqual(at(progress, 'params'), { progressToken: 'p', progress: 1, total: 2, message: 'half' })
  await stream.until(isMethod('notifications/message'))
  source.release()
  assert.equal(at((await plain).messages[0], 'result.content.0.text'), 'waited')
  assert.equal(at(await stream.until((message) => at(message, 'id') === 2), 'result.content.0.text'), 'waited')
})
