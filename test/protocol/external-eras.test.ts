// Clients of both kinds over servers of both kinds, directly and through the router: a question, lists that change, content, and a
// server that is killed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { toolsServer } from '../../src/upstream/tools-server.ts'
import { asker, ERAS, namesOf, resultOf, ROUTER, TOOLS } from '../fixtures/external/app.ts'
import { at, call, modern, open, openSession, rpc } from '../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { until } from '../fixtures/until.ts'
import { fakeSpec, stand, type Stand } from '../fixtures/upstream/hub-stand.ts'

const timeout = 60_000
const capabilities = { elicitation: {} }
const ANSWER = { action: 'accept', content: { answer: 'yes' } }

async function gateway(t: TestContext): Promise<{ running: RunningApp; at: Stand }> {
  const hub = await stand(t, [fakeSpec('old', { era: '2025' }), fakeSpec('new', { era: '2026' })])
  const running = await startApp({}, { servers: [toolsServer(hub.source)] })
  t.after(() => running.close())
  hub.bus.on((change) => running.app.catalog.bus.emit(change))
  await hub.ready('old_ask')
  await hub.ready('new_ask')
  return { running, at: hub }
}

const named = (path: string, name: string, args: object = {}): { name: string; arguments: object } =>
  path === TOOLS ? { name, arguments: args } : { name: 'crow_tools', arguments: { action: name, params: args } }

for (const path of [TOOLS, ROUTER])
  for (const id of ['old', 'new']) {
    test(`a 2025 client on ${path} and the ${id} server: asked on its stream`, { timeout }, async (t) => {
      const { running } = await gateway(t)
      const { headers } = await openSession(running, { path, capabilities })
      const stream = await open(running, { path, headers, body: call('tools/call', named(path, `${id}_ask`), 'a') })
      const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
      assert.equal(at(question, 'params.message'), 'Who?')
      await rpc(running, { path, headers, body: { jsonrpc: '2.0', id: at(question, 'id'), result: ANSWER } })
      const done = await stream.until((message) => at(message, 'id') === 'a')
      assert.match(String(at(done, 'result.content.0.text')), /"yes"/)
    })

    test(`a 2026 client on ${path} and the ${id} server: asked in rounds`, { timeout }, async (t) => {
      const { running } = await gateway(t)
      const params = named(path, `${id}_ask`)
      const asked = await rpc(running, { path, ...modern('tools/call', params, { capabilities }) })
      const round = at(asked.messages[0], 'result')
      assert.equal(at(round, 'resultType'), 'input_required')
      const inputResponses = Object.fromEntries(
        Object.keys(Object(at(round, 'inputRequests'))).map((name) => [name, ANSWER]),
      )
      const answer = { ...params, inputResponses, requestState: at(round, 'requestState') }
      const done = await rpc(running, { path, ...modern('tools/call', answer, { capabilities }) })
      assert.match(String(at(done.messages[0], 'result.content.0.text')), /"yes"/)
      const again = await rpc(running, { path, ...modern('tools/call', answer, { capabilities }) })
      if (id === 'old') assert.match(JSON.stringify(again.messages), /answered already/)
    })
  }

for (const era of ERAS)
  test(
    `a ${era} client: results whole, lists that change, and the same session after a kill`,
    { timeout },
    async (t) => {
      const { running, at: hub } = await gateway(t)
      const ask = await asker(running, era)
      for (const id of ['old', 'new']) {
        assert.deepEqual(resultOf(await ask('tools/call', { name: `${id}_refuse`, arguments: {} })), {
          content: [{ type: 'text', text: 'quota exceeded' }],
          isError: true,
          structuredContent: { code: 'Q' },
        })
        await ask('tools/call', { name: `${id}_add_tool`, arguments: { name: 'late' } })
        await until(() => hub.names().includes(`${id}_late`))
        assert.ok(namesOf(await ask('tools/list')).includes(`${id}_late`))
        assert.match(JSON.stringify(resultOf(await ask('tools/call', { name: `${id}_die`, arguments: {} }))), /SIGKILL/)
        const back = resultOf(await ask('tools/call', { name: `${id}_echo`, arguments: { message: 'back' } }))
        assert.equal(at(back, 'content.0.text'), 'Echo: back')
        assert.ok(namesOf(await ask('resources/list'), 'resources', 'uri').includes(`${id}+memo://two`))
        const read = resultOf(await ask('resources/read', { uri: `${id}+memo://two` }))
        assert.equal(at(read, 'contents.0.text'), 'text of memo://two')
        const prompt = resultOf(await ask('prompts/get', { name: `${id}_greet`, arguments: { who: 'Ada' } }))
        assert.equal(at(prompt, 'messages.0.content.text'), 'Hello Ada')
      }
    },
  )
