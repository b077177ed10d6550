// Resources, templates, prompts and completions that others serve: whole, in both eras, on the direct mount and the router.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asker, ERAS, externalApp, resultOf, ROUTER, TOOLS } from '../../fixtures/external/app.ts'
import { ISSUE, NOTE, PROMPTS, READ, REVIEW, TEMPLATE } from '../../fixtures/external/content.ts'
import { at, call, modern, open, openSession, rpc } from '../../fixtures/rpc.ts'

const TIMEOUT = { timeout: 30_000 }
const NOTE_URI = String(NOTE['uri'])

const own = (list: unknown, known: readonly unknown[]): unknown[] =>
  Array.isArray(list) ? list.filter((item) => known.some((one) => JSON.stringify(one) === JSON.stringify(item))) : []

for (const era of ERAS)
  for (const path of [TOOLS, ROUTER])
    test(`${era} on ${path}: lists and contents come with every field`, TIMEOUT, async (t) => {
      const { running } = await externalApp(t)
      const ask = await asker(running, era, { path })
      const listed = async (method: string, key: string): Promise<unknown> => at(resultOf(await ask(method)), key)
      const resources = [NOTE, ISSUE]
      assert.deepEqual(own(await listed('resources/list', 'resources'), resources), resources)
      const templates = await listed('resources/templates/list', 'resourceTemplates')
      assert.deepEqual(own(templates, [TEMPLATE]), [TEMPLATE])
      assert.deepEqual(own(await listed('prompts/list', 'prompts'), PROMPTS), PROMPTS)
      if (path === TOOLS) assert.equal(at(await listed('resources/list', 'resources'), 'length'), 2)
      assert.deepEqual(resultOf(await ask('resources/read', { uri: NOTE_URI })), READ)
      const args = { pr: '7' }
      assert.deepEqual(resultOf(await ask('prompts/get', { name: 'github_review', arguments: args })), {
        ...REVIEW,
        given: args,
      })
    })

for (const era of ERAS)
  test(`${era}: what is not there is unknown in the words of its era`, TIMEOUT, async (t) => {
    const { running } = await externalApp(t)
    const ask = await asker(running, era)
    for (const uri of ['files+file:///none', 'other+file:///a.txt', 'FILES+file:///a.txt'])
      assert.equal(at(resultOf(await ask('resources/read', { uri })), 'error.code'), -32602, uri)
    for (const name of ['files_none', 'none', '__proto__', 'Github_review'])
      assert.match((await ask('prompts/get', { name })).text, /Unknown prompt/, name)
    const ref = { type: 'ref/prompt', name: 'none' }
    const unknown = await ask('completion/complete', { ref, argument: { name: 'a', value: 'b' } })
    assert.equal(at(resultOf(unknown), 'error.code'), -32602)
  })

for (const era of ERAS)
  for (const path of [TOOLS, ROUTER])
    test(`${era} on ${path}: completions are asked with their context and come whole`, TIMEOUT, async (t) => {
      const { running } = await externalApp(t)
      const ask = await asker(running, era, { path })
      for (const ref of [
        { type: 'ref/prompt', name: 'github_review' },
        { type: 'ref/resource', uri: String(TEMPLATE['uriTemplate']) },
      ]) {
        const params = { ref, argument: { name: 'pr', value: '1' }, context: { arguments: { repo: 'x' } } }
        const values = [`${ref.name ?? ref.uri}.pr=1`, 'x']
        assert.deepEqual(resultOf(await ask('completion/complete', params)), {
          completion: { values, total: 2, future: 1 },
        })
      }
    })

test('a prompt asks in both eras, and is given the answer', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  const capabilities = { elicitation: {} }
  const { headers } = await openSession(running, { path: TOOLS, capabilities })
  const stream = await open(running, { path: TOOLS, headers, body: call('prompts/get', { name: 'files_choose' }, 'p') })
  const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
  const result = { action: 'accept', content: { one: 'x' } }
  await rpc(running, { path: TOOLS, headers, body: { jsonrpc: '2.0', id: at(question, 'id'), result } })
  const done = await stream.until((message) => at(message, 'id') === 'p')
  assert.equal(at(done, 'result.messages.0.content.text'), JSON.stringify(result))

  const params = { name: 'files_choose' }
  const asked = await rpc(running, { path: TOOLS, ...modern('prompts/get', params, { capabilities }) })
  assert.equal(at(asked.messages[0], 'result.resultType'), 'input_required')
  const answer = { inputResponses: { q: result }, requestState: at(asked.messages[0], 'result.requestState') }
  const next = modern('prompts/get', { ...params, ...answer }, { capabilities })
  const last = await rpc(running, { path: TOOLS, ...next })
  assert.equal(at(last.messages[0], 'result.messages.0.content.text'), JSON.stringify(result))
})

test('reading and rendering are told to observers, completing is not', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  const seen: string[] = []
  running.app.catalog.observe({
    id: 'seen',
    onEnd: ({ kind, server, tool, outcome }) => void seen.push(`${kind} ${server} ${tool} ${outcome}`),
  })
  const ask = await asker(running, '2026')
  await ask('resources/read', { uri: NOTE_URI })
  await ask('prompts/get', { name: 'github_review' })
  const ref = { type: 'ref/prompt', name: 'github_review' }
  await ask('completion/complete', { ref, argument: { name: 'pr', value: '1' } })
  assert.deepEqual(seen, [`resource tools ${NOTE_URI} ok`, 'prompt tools github_review ok'])
})

test('progress of a read gets to the client that asked for it', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  const params = { uri: NOTE_URI, _meta: { progressToken: 'p1' } }
  const { headers } = await openSession(running, { path: TOOLS })
  const old = await rpc(running, { path: TOOLS, headers, body: call('resources/read', params) })
  const fresh = await rpc(running, {
    path: TOOLS,
    ...modern('resources/read', { uri: NOTE_URI }, { meta: { progressToken: 'p1' } }),
  })
  for (const { messages } of [old, fresh])
    assert.equal(at(messages[0], 'method'), 'notifications/progress', JSON.stringify(messages))
})
