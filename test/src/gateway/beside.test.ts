// Processes without a network beside a running gateway: one child of each server, and every call goes through.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { entriesOf, startsIn, writeServers } from '../../fixtures/external/composed.ts'
import { answers, isMethod, piped, saidIn, type Piped } from '../../fixtures/external/piped.ts'
import { at, call, modern } from '../../fixtures/rpc.ts'
import { received, recorded } from '../../fixtures/upstream/fake-record.ts'
import { until } from '../../fixtures/until.ts'
import { crow, scratchFolder, serve } from '../cli/crow.ts'

const timeout = 120_000
const SERVERS = { old: {}, fresh: { era: '2026' } }
const ASKABLE = { elicitation: {} }
const ANSWER = { action: 'accept', content: { answer: 'Ada' } }

interface Place {
  readonly home: string
  readonly env: { readonly CROW_DATA_DIR: string }
  readonly record: (id: string) => string
}

async function besideGateway(t: TestContext): Promise<Place> {
  const home = scratchFolder(t)
  const data = join(home, 'data')
  const env = { CROW_DATA_DIR: data }
  const record = (id: string): string => join(data, `${id}.jsonl`)
  writeServers(data, entriesOf(data, SERVERS))
  await serve(t, { home, env })
  await until(() => received(record('old'), 'tools/list').length > 0, 'known', 30_000)
  await until(() => received(record('fresh'), 'tools/list').length > 0, 'known', 30_000)
  return { home, env, record }
}

async function untilCallable(client: Piped, name: string): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    if (JSON.stringify(await client.ask('tools/list')).includes(`"${name}"`)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail(`${name} is never listed`)
}

test('commands and stdio processes share the children of the gateway', { timeout }, async (t) => {
  const { home, env, record } = await besideGateway(t)
  const clients = await Promise.all([
    piped(t, { home, served: 'tools', era: '2025' }),
    piped(t, { home, served: 'router', era: '2026' }),
  ])
  const [direct, router] = clients
  await untilCallable(direct, 'old_echo')
  for (const id of ['old', 'fresh']) {
    assert.equal(saidIn(await direct.call(`${id}_echo`, { message: 'a' })), 'Echo: a')
    const routed = { action: `${id}_echo`, params: { message: 'b' } }
    assert.equal(saidIn(await router.call('crow_tools', routed)), 'Echo: b')
    const called = await crow({ home, env }, ['call', 'tools', `${id}_echo`, '--message', 'c'])
    assert.deepEqual([called.status, called.out.trim()], [0, 'Echo: c'], called.err)
  }
  const read = await direct.ask('resources/read', { uri: 'fresh+memo://two' })
  assert.equal(at(read, 'result.contents.0.text'), 'text of memo://two', JSON.stringify(read))
  const prompt = await direct.ask('prompts/get', { name: 'old_greet', arguments: { who: 'Ada' } })
  assert.equal(at(prompt, 'result.messages.0.content.text'), 'Hello Ada')
  for (const id of ['old', 'fresh']) assert.equal(startsIn(record(id)).length, 1, id)
})

for (const era of ['2025', '2026'] as const)
  test(`progress, cancelling and questions go through to a ${era} client over stdio`, { timeout }, async (t) => {
    const { home, record } = await besideGateway(t)
    const client = await piped(t, { home, era, capabilities: ASKABLE })
    await untilCallable(client, 'old_slow')
    const request = (name: string, args: object, id: string, meta: object = {}): unknown =>
      era === '2026'
        ? modern('tools/call', { name, arguments: args }, { id, capabilities: ASKABLE, meta }).body
        : call('tools/call', { name, arguments: args, _meta: meta }, id)
    for (const id of ['old', 'fresh']) {
      client.send(request(`${id}_slow`, { ms: 200, steps: 2 }, `${id}-slow`, { progressToken: id }))
      assert.equal(saidIn(await client.until(answers(`${id}-slow`))), 'done')
      const steps = client.seen().filter((message) => at(message, 'params.progressToken') === id)
      assert.deepEqual(
        steps.map((message) => at(message, 'params.progress')),
        [1, 2],
      )
      client.send(request(`${id}_never`, {}, `${id}-never`))
      const isRunning = (): boolean =>
        received(record(id), 'tools/call').some((message) => at(message, 'params.name') === 'never')
      await until(isRunning, 'the call runs')
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `${id}-never` } })
      await until(() => recorded(record(id), 'cancelled').length === 1, 'cancelled at the server')
      assert.equal(saidIn(await asked(client, era, `${id}_ask`)), `answered ${JSON.stringify(ANSWER)}`)
    }
  })

/** Calls a tool that asks, and answers it. */
async function asked(client: Piped, era: '2025' | '2026', name: string): Promise<unknown> {
  const id = `${name}-1`
  if (era === '2025') {
    const before = client.seen().filter(isMethod('elicitation/create')).length
    client.send(call('tools/call', { name, arguments: {} }, id))
    await until(() => client.seen().filter(isMethod('elicitation/create')).length > before, 'a question')
    const question = client.seen().filter(isMethod('elicitation/create')).at(-1)
    assert.equal(at(question, 'params.message'), 'Who?')
    client.send({ jsonrpc: '2.0', id: at(question, 'id'), result: ANSWER })
    return await client.until(answers(id))
  }
  const first = await client.ask('tools/call', { name, arguments: {} })
  const requests = Object(at(first, 'result.inputRequests'))
  const [key = ''] = Object.keys(requests)
  assert.equal(at(requests, `${key}.params.message`), 'Who?', JSON.stringify(first))
  const round = { inputResponses: { [key]: ANSWER }, requestState: at(first, 'result.requestState') }
  return await client.ask('tools/call', { name, arguments: {}, ...round })
}

for (const era of ['2025', '2026'] as const)
  test(
    `a ${era} client over stdio hears of lists and of watched resources through the gateway`,
    { timeout },
    async (t) => {
      const { home, record } = await besideGateway(t)
      const client = await piped(t, { home, era })
      await untilCallable(client, 'old_add_tool')
      const uris = ['old+memo://two', 'fresh+memo://two']
      if (era === '2025') for (const uri of uris) await client.ask('resources/subscribe', { uri })
      else {
        const notifications = { resourceSubscriptions: uris, toolsListChanged: true }
        client.send(modern('subscriptions/listen', { notifications }, { id: 'sub' }).body)
        await client.until(isMethod('notifications/subscriptions/acknowledged'))
      }
      const isHeard = (id: string): boolean =>
        received(record(id)).some(({ method }) => method === 'resources/subscribe' || method === 'subscriptions/listen')
      for (const id of ['old', 'fresh']) await until(() => isHeard(id), `${id} is asked for changes`)
      for (const id of ['old', 'fresh']) {
        const isUpdate = (message: unknown): boolean => at(message, 'params.uri') === `${id}+memo://two`
        for (let turn = 0; turn < 50 && !client.seen().some(isUpdate); turn++)
          await client.call(`${id}_update`, { uri: 'memo://two' })
        await client.until(isUpdate)
        const before = client.seen().filter(isMethod('notifications/tools/list_changed')).length
        await client.call(`${id}_add_tool`, { name: 'late' })
        await until(() => client.seen().filter(isMethod('notifications/tools/list_changed')).length > before, 'told')
        await untilCallable(client, `${id}_late`)
        assert.equal(saidIn(await client.call(`${id}_late`)), 'late: {}')
        assert.equal(startsIn(record(id)).length, 1, id)
      }
    },
  )

test('a process with other variables than the gateway shows what the gateway has', { timeout }, async (t) => {
  const { home, record } = await besideGateway(t)
  const client = await piped(t, { home, env: { HOME: scratchFolder(t) } })
  await untilCallable(client, 'old_echo')
  assert.equal(saidIn(await client.call('fresh_echo', { message: 'a' })), 'Echo: a')
  const data = join(home, 'data')
  writeServers(data, entriesOf(data, { ...SERVERS, third: { onlyTools: ['look'] } }))
  await untilCallable(client, 'third_look')
  assert.equal(saidIn(await client.call('third_look')), 'look: {}')
  for (const id of ['old', 'fresh', 'third']) assert.equal(startsIn(record(id)).length, 1, id)
})
