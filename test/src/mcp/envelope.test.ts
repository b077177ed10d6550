// What the hot path takes for a valid envelope, the SDK takes for one too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyInboundRequest } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { canElicit, plainEnvelope } from '../../../src/mcp/envelope.ts'
import { META, MODERN_VERSION } from '../../../src/mcp/protocol.ts'

const TIMEOUT = { timeout: 20_000 }

const record = fc.dictionary(
  fc.string({ maxLength: 4 }),
  fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
  { maxKeys: 2 },
)
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), record, fc.constant(undefined))

const capabilities = fc.oneof(
  fc.record(
    {
      elicitation: fc.oneof(fc.constant({}), fc.record({ form: odd, url: odd }, { requiredKeys: [] }), odd),
      sampling: fc.oneof(fc.constant({}), fc.record({ context: odd, tools: odd }, { requiredKeys: [] }), odd),
      roots: fc.oneof(fc.constant({}), fc.record({ listChanged: odd }, { requiredKeys: [] }), odd),
      experimental: odd,
      extensions: odd,
      tasks: odd,
    },
    { requiredKeys: [] },
  ),
  odd,
)

const clientInfo = fc.oneof(
  fc.record(
    { name: fc.string(), version: fc.string(), title: odd, description: odd, websiteUrl: odd, icons: odd },
    { requiredKeys: ['name', 'version'] },
  ),
  odd,
)

const meta = fc.record(
  {
    [META.version]: fc.oneof({ weight: 9, arbitrary: fc.constant(MODERN_VERSION) }, { weight: 1, arbitrary: odd }),
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: clientInfo,
    [META.logLevel]: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd }),
    progressToken: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd }),
    traceparent: odd,
  },
  { requiredKeys: [META.version] },
)

/** As it is after a parser: nothing undefined. */
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('every envelope the hot path takes is one the SDK serves as 2026-07-28', TIMEOUT, () => {
  let taken = 0
  fc.assert(
    fc.property(meta, (made) => {
      const _meta = parsed(made)
      if (plainEnvelope(_meta) === undefined) return
      taken++
      const verdict = classifyInboundRequest({
        httpMethod: 'POST',
        protocolVersionHeader: MODERN_VERSION,
        mcpMethodHeader: 'tools/list',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } },
      })
      assert.equal(verdict.kind, 'modern', JSON.stringify(_meta))
    }),
    { numRuns: 2_000 },
  )
  assert.ok(taken > 50, `only ${taken} envelopes were taken: the generator tests nothing`)
})

test(
  'an envelope that wants log messages, or progress by a token of no legal kind, is left to the SDK',
  TIMEOUT,
  () => {
    const plain = { [META.version]: MODERN_VERSION, [META.clientCapabilities]: {} }
    assert.notEqual(plainEnvelope(plain), undefined)
    for (const progressToken of [0, 'p']) assert.notEqual(plainEnvelope({ ...plain, progressToken }), undefined)
    for (const progressToken of [0.5, 2 ** 53, null, {}, true])
      assert.equal(plainEnvelope({ ...plain, progressToken }), undefined)
    assert.equal(plainEnvelope({ ...plain, [META.logLevel]: 'info' }), undefined)
  },
)

test('a bare elicitation capability means forms, one with only URLs does not', TIMEOUT, () => {
  assert.equal(canElicit({ elicitation: {} }), true)
  assert.equal(canElicit({ elicitation: { form: {} } }), true)
  assert.equal(canElicit({ elicitation: { url: {} } }), false)
  assert.equal(canElicit({}), false)
  assert.equal(canElicit(undefined), false)
})
