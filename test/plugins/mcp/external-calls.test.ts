// Calls of tools that others serve: as they came, in both eras, by both paths, and each tool runs once whatever it asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { asker, ERAS, externalApp, resultOf, ROUTER, TOOLS } from '../../fixtures/external/app.ts'
import { ODD, VIEW } from '../../fixtures/external/replies.ts'
import { QUESTION, tool as toolNamed } from '../../fixtures/external/source.ts'
import { at, call, modern, open, openSession, rpc, type Received } from '../../fixtures/rpc.ts'

const TIMEOUT = { timeout: 30_000 }
const CLIENTS = { nothing: {}, elicitation: { elicitation: {}, sampling: {} } }

const named = (path: string, name: string, args: object = {}) =>
  path === TOOLS ? { name, arguments: args } : { name: 'crow_tools', arguments: { action: name, params: args } }

for (const era of ERAS)
  for (const path of [TOOLS, ROUTER])
    test(`${era} on ${path}: results pass whole, hot and through the SDK alike`, TIMEOUT, async (t) => {
      const { running, source } = await externalApp(t)
      const { counters } = wireOf(running.app).endpoint(path === TOOLS ? 'tools' : 'router').hot
      for (const capabilities of Object.values(CLIENTS)) {
        const ask = await asker(running, era, { path, capabilities })
        for (const [name, expected] of [
          ['files_view', VIEW],
          ['files_odd', ODD],
        ] as const) {
          counters.enabled = true
          const before = { ...counters }
          const ran = source.ran.length
          const hot = await ask('tools/call', named(path, name))
          assert.deepEqual(resultOf(hot), expected)
          assert.equal(counters.answered, before.answered + 1, name)
          assert.equal(counters.handedOver, before.handedOver)
          counters.enabled = false
          const slow = await ask('tools/call', named(path, name))
          assert.deepEqual(resultOf(slow), expected)
          assert.equal(source.ran.length, ran + 2)
        }
      }
    })

test('what only one era can write as it is goes through the SDK, and has run once', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  const { counters } = wireOf(running.app).endpoint('tools').hot
  const answers: Received[] = []
  for (const era of ERAS) answers.push(await (await asker(running, era))('tools/call', named(TOOLS, 'files_list')))
  const text = [{ type: 'text', text: '["a","b"]' }]
  assert.deepEqual(answers.map(resultOf), [
    { content: text, structuredContent: { result: ['a', 'b'] } },
    { content: text, structuredContent: ['a', 'b'] },
  ])
  assert.equal(counters.handedOver, 2)
  assert.deepEqual(source.ran, ['files_list', 'files_list'])
})

for (const path of [TOOLS, ROUTER]) {
  test(`2025 on ${path}: a question goes out on the call's own stream, and the tool goes on`, TIMEOUT, async (t) => {
    const { running, source } = await externalApp(t)
    const ends: (string | undefined)[] = []
    running.app.catalog.observe({ id: 'ends', onEnd: ({ outcome }) => void ends.push(outcome) })
    const { headers } = await openSession(running, { path, capabilities: { elicitation: {} } })
    const body = call('tools/call', named(path, 'files_ask'), 'a')
    const stream = await open(running, { path, headers, body })
    const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
    assert.deepEqual({ ...Object(at(question, 'params')), _meta: undefined }, { ...QUESTION, _meta: undefined })
    assert.deepEqual(source.ran, ['files_ask'])
    const result = { action: 'accept', content: { one: 'this' } }
    await rpc(running, { path, headers, body: { jsonrpc: '2.0', id: at(question, 'id'), result } })
    const done = await stream.until((message) => at(message, 'id') === 'a')
    assert.equal(at(done, 'result.content.0.text'), `parked ${JSON.stringify(result)}`)
    assert.deepEqual(source.ran, ['files_ask', 'files_ask'])
    assert.deepEqual(ends, ['input-required', 'ok'])
  })

  test(
    `2026 on ${path}: a question comes back with a state, which only this call's next round opens`,
    TIMEOUT,
    async (t) => {
      const { running, source, scoped } = await externalApp(t)
      const capabilities = { elicitation: {} }
      const params = named(path, 'files_ask')
      const asked = await rpc(running, { path, ...modern('tools/call', params, { capabilities }) })
      const round = at(asked.messages[0], 'result')
      assert.equal(at(round, 'resultType'), 'input_required')
      assert.deepEqual(at(round, 'inputRequests.q'), { method: 'elicitation/create', params: QUESTION })
      assert.deepEqual(source.ran, ['files_ask'])
      const answer = { inputResponses: { q: { action: 'decline' } }, requestState: at(round, 'requestState') }
      const next = { path, ...modern('tools/call', { ...params, ...answer }, { capabilities }) }
      const stranger = await rpc(await scoped('tools'), next)
      assert.equal(at(stranger.messages[0], 'error.code'), -32602)
      const done = await rpc(running, next)
      assert.equal(at(done.messages[0], 'result.content.0.text'), 'parked {"action":"decline"}')
      assert.deepEqual(source.ran, ['files_ask', 'files_ask'])
    },
  )
}

for (const path of [TOOLS, ROUTER])
  test(
    `${path}: who wants progress gets it from a tool that has some, and costs no more with one that has none`,
    TIMEOUT,
    async (t) => {
      const { running, source } = await externalApp(t)
      const { counters } = wireOf(running.app).endpoint(path === TOOLS ? 'tools' : 'router').hot
      const { headers } = await openSession(running, { path })
      const send = {
        '2025': (params: object) =>
          rpc(running, { path, headers, body: call('tools/call', { ...params, _meta: { progressToken: 'p' } }, 7) }),
        '2026': (params: Record<string, unknown>) =>
          rpc(running, { path, ...modern('tools/call', params, { id: 7, meta: { progressToken: 'p' } }) }),
      }
      for (const era of ERAS) {
        const before = { ...counters }
        const quiet = await send[era](named(path, 'github_search'))
        assert.equal(quiet.messages.length, 1)
        assert.deepEqual([counters.answered, counters.handedOver], [before.answered + 1, before.handedOver])
        const ran = source.ran.length
        const { messages } = await send[era](named(path, 'files_talk'))
        const steps = messages.map((message) => at(message, 'params.progress')).filter((step) => step !== undefined)
        assert.deepEqual(steps, [1, 2, 3])
        assert.match(JSON.stringify(messages.at(-1)), /files_talk/)
        assert.equal(at(messages.at(-1), 'id'), 7)
        assert.equal(source.ran.length, ran + 1)
        assert.equal(counters.handedOver, before.handedOver + 1)
      }
    },
  )

test('a client is never asked what it did not declare; it reads why, in the words of its era', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  for (const capabilities of [{}, { elicitation: {} }]) {
    const [old, fresh] = [
      await asker(running, '2025', { capabilities }),
      await asker(running, '2026', { capabilities }),
    ]
    const early = resultOf(await old('tools/call', named(TOOLS, 'files_sample')))
    assert.equal(at(early, 'isError'), true)
    assert.match(String(at(early, 'content.0.text')), /did not declare/)
    assert.equal(at(resultOf(await fresh('tools/call', named(TOOLS, 'files_sample'))), 'error.code'), -32021)
  }
  assert.equal(source.ran.length, 4)
})

test('a client of JSON answers only learns that the question cannot reach it', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  const { headers } = await openSession(running, { path: TOOLS, capabilities: { elicitation: {} } })
  const json = { ...headers, accept: 'application/json' }
  const answer = await rpc(running, { path: TOOLS, headers: json, body: call('tools/call', named(TOOLS, 'files_ask')) })
  assert.equal(at(answer.messages[0], 'result.isError'), true)
  assert.match(answer.text, /takes only JSON/)
})

test('each set of abilities has its own list, made once, and a tool outside it is unknown', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  const lists = source.lists.count
  for (let round = 0; round < 3; round++)
    for (const era of ERAS) {
      const [plain, asking] = [await asker(running, era), await asker(running, era, { capabilities: { sampling: {} } })]
      const has = async (ask: typeof plain): Promise<boolean> => (await ask('tools/list')).text.includes('files_chat')
      assert.deepEqual([await has(plain), await has(asking)], [false, true], era)
      assert.match((await asking('tools/call', named(TOOLS, 'files_chat'))).text, /files_chat \{\} sampling/)
      assert.match((await plain('tools/call', named(TOOLS, 'files_chat'))).text, /Unknown tool: files_chat/)
    }
  assert.ok(source.lists.count - lists <= 2, String(source.lists.count - lists))
})

test('definitions are listed with every field that they came with', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  for (const era of ERAS) {
    const answer = await (await asker(running, era))('tools/list')
    const tools = at(resultOf(answer), 'tools')
    const search = Array.isArray(tools) ? tools.find((tool) => at(tool, 'name') === 'github_search') : undefined
    assert.deepEqual(at(search, 'icons'), [{ src: 'data:,x' }])
    assert.deepEqual(at(search, 'future'), { kept: true })
    assert.deepEqual(at(search, '_meta'), { 'x/y': 1 })
  }
})

test('what is down says why, as an error of its tool', TIMEOUT, async (t) => {
  const { running } = await externalApp(t)
  for (const era of ERAS) {
    const result = resultOf(await (await asker(running, era))('tools/call', named(TOOLS, 'files_fail')))
    assert.equal(at(result, 'isError'), true)
    assert.match(String(at(result, 'content.0.text')), /files is down: it exited with code 1/)
  }
})

test('a header is wanted for a parameter only where the list says so', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  const text = { type: 'string', 'x-mcp-header': 'Text' }
  source.add(toolNamed('files_header', { inputSchema: { type: 'object', properties: { text } } }))
  source.add(toolNamed('files_bare', { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }))
  const status = async (path: string, name: string, headers = {}): Promise<number> =>
    (await rpc(running, { path, ...modern('tools/call', named(path, name, { text: 'x' }), { headers }) })).status
  assert.equal(await status(TOOLS, 'files_header'), 400)
  assert.equal(await status(TOOLS, 'files_header', { 'mcp-param-text': 'x' }), 200)
  assert.equal(await status(TOOLS, 'files_bare'), 200)
  assert.equal(await status(ROUTER, 'files_header'), 200)
})

test('an output that is no object is listed in each era as its clients take it', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  source.add(toolNamed('files_array', { outputSchema: { type: 'array' } }))
  const outputs: unknown[] = []
  for (const era of ERAS) {
    const tools = at(resultOf(await (await asker(running, era))('tools/list')), 'tools')
    outputs.push(
      at(Array.isArray(tools) ? tools.find((each) => at(each, 'name') === 'files_array') : {}, 'outputSchema'),
    )
  }
  const wrapped = { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] }
  assert.deepEqual(outputs, [wrapped, { type: 'array' }])
})
