// Which kind of MCP a server speaks is found out in its own process, or known from last time and found out when wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectOf } from '../../../../src/lib/json.ts'
import { VERSION } from '../../../../src/lib/version.ts'
import { LinkFailure } from '../../../../src/upstream/link.ts'
import { received } from '../../../fixtures/upstream/fake-record.ts'
import { callText, opened, opening } from '../../../fixtures/upstream/opened.ts'

const timeout = 30_000

const methodsOf = (record: string): unknown[] => received(record).map((message) => message['method'])

test(
  'a server with sessions is asked once for what it does not know, then opened in the same process',
  { timeout },
  async (t) => {
    const { link, entries, record } = await opened(t, { instructions: 'Be kind.', title: 'Fake' })
    assert.deepEqual(link.peer, {
      era: '2025',
      protocolVersion: '2025-11-25',
      name: 'fake',
      version: '1.2.3',
      capabilities: link.peer.capabilities,
      instructions: 'Be kind.',
    })
    assert.equal(await callText(link, 'echo', { message: 'a' }), 'Echo: a')
    assert.equal(entries('start').length, 1)
    assert.deepEqual(methodsOf(record), ['server/discover', 'initialize', 'notifications/initialized', 'tools/call'])
  },
)

test(
  'a server without sessions is never sent an initialize, and listens are opened for its lists',
  { timeout },
  async (t) => {
    for (const era of ['2026', 'both']) {
      const { link, record } = await opened(t, { era, instructions: 'Be kind.' })
      assert.equal(link.peer.era, '2026')
      assert.equal(link.peer.protocolVersion, '2026-07-28')
      assert.deepEqual([link.peer.name, link.peer.version, link.peer.instructions], ['fake', '1.2.3', 'Be kind.'])
      assert.equal(await callText(link, 'echo', { message: era }), `Echo: ${era}`)
      assert.deepEqual(methodsOf(record), ['server/discover', 'subscriptions/listen', 'tools/call'])
      assert.equal(link.pending, 0, 'the listening of the link itself is nobody’s call')
    }
  },
)

test('each request without sessions says who asks and what it can be asked', { timeout }, async (t) => {
  const { link } = await opened(t, { era: '2026' })
  const capabilities = { elicitation: { form: {} } }
  const answer = await link.request('tools/call', { name: 'received' }, { timeoutMs: 5_000, capabilities })
  assert.deepEqual(answer['structuredContent'], {
    params: {
      name: 'received',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'crow', version: VERSION },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
    },
  })
})

test('every revision with sessions is accepted, and one of nobody is refused with its name', { timeout }, async (t) => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const { link } = await opened(t, { version }, { era: '2025' })
    assert.equal(link.peer.protocolVersion, version)
  }
  const { link } = opening(t, { version: '1999-01-01' }, { era: '2025' })
  await assert.rejects(link, (error) => error instanceof LinkFailure && /1999-01-01/.test(error.end.reason))
})

test('a server that dies of the unknown question is started once more and asked as of old', { timeout }, async (t) => {
  const { link, entries, record } = await opened(t, { discover: 'exit' })
  assert.equal(link.peer.era, '2025')
  assert.equal(await callText(link, 'echo', { message: 'b' }), 'Echo: b')
  assert.equal(entries('start').length, 2)
  assert.deepEqual(methodsOf(record).slice(0, 2), ['server/discover', 'initialize'])
})

test(
  'a server that is silent at the unknown question is opened in the same process after two seconds',
  { timeout },
  async (t) => {
    const began = performance.now()
    const { link, entries } = await opened(t, { discover: 'silent' })
    assert.ok(performance.now() - began < 4_000)
    assert.equal(link.peer.era, '2025')
    assert.equal(entries('start').length, 1)
  },
)

test('a server that is slow to read is not misunderstood', { timeout }, async (t) => {
  const modern = await opened(t, { era: '2026', delayMs: 2_500 })
  assert.equal(modern.link.peer.era, '2026')
  const both = await opened(t, { era: 'both', delayMs: 2_500 }, { era: '2026' })
  assert.equal(both.link.peer.era, '2026')
  const sessions = await opened(t, { delayMs: 2_500 })
  assert.equal(sessions.link.peer.era, '2025')
  assert.equal(await callText(both.link, 'echo'), 'Echo: ')
})

test(
  'with what was found last time there is one question, and a wrong verdict is found out',
  { timeout },
  async (t) => {
    const known = await opened(t, {}, { era: '2025' })
    await callText(known.link, 'echo')
    assert.deepEqual(methodsOf(known.record).slice(0, -1), ['initialize', 'notifications/initialized'])
    const grown = await opened(t, { era: '2026' }, { era: '2025' })
    assert.equal(grown.link.peer.era, '2026')
    const shrunk = await opened(t, {}, { era: '2026' })
    assert.equal(shrunk.link.peer.era, '2025')
    for (const { entries } of [known, grown, shrunk]) assert.equal(entries('start').length, 1)
  },
)

test('what a client of a session can be asked is declared as told', { timeout }, async (t) => {
  const { record } = await opened(t, {}, { era: '2025', capabilities: { elicitation: {}, roots: {} } })
  const [initialize] = received(record, 'initialize')
  const { clientInfo, ...params } = objectOf(initialize?.['params'])
  assert.deepEqual(params, { protocolVersion: '2025-11-25', capabilities: { elicitation: {}, roots: {} } })
  assert.deepEqual(Object.keys(objectOf(clientInfo)), ['name', 'version'])
})
