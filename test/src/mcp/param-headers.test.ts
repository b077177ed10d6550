// Parameters that clients repeat in headers: found in the schema, compared with the arguments.
import assert from 'node:assert/strict'
import { validateHeaderValue } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { mirroredHeaders, mirroredParameters } from '../../../src/lib/mirrored-parameters.ts'
import { decodeHeaderValue, headerMismatch } from '../../../src/mcp/param-headers.ts'

const TIMEOUT = { timeout: 5_000 }

const parameters = mirroredParameters({
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    size: { type: 'integer', 'x-mcp-header': 'Size' },
    deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
    plain: { type: 'string' },
    odd: { type: 'string', 'x-mcp-header': 'not a token' },
  },
})

const base64 = (text: string): string => `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`

test('every mirrored parameter is found, however deep, and nothing else', TIMEOUT, () => {
  assert.deepEqual(
    parameters.map(({ path, header }) => [path.join('.'), header]),
    [
      ['region', 'mcp-param-region'],
      ['size', 'mcp-param-size'],
      ['deep.on', 'mcp-param-on'],
    ],
  )
  for (const none of [undefined, null, 'x', {}, { properties: null }]) assert.deepEqual(mirroredParameters(none), [])
})

test('headers that agree with the arguments pass, in plain text, in base64 and as numbers', TIMEOUT, () => {
  const args = { region: 'eu', size: 42, deep: { on: true } }
  const headers = { 'mcp-param-region': 'eu', 'mcp-param-size': '42.0', 'mcp-param-on': 'true' }
  assert.equal(headerMismatch(parameters, args, headers), undefined)
  assert.equal(
    headerMismatch(parameters, { region: 'Zürich ☂' }, { 'mcp-param-region': base64('Zürich ☂') }),
    undefined,
  )
  assert.equal(headerMismatch(parameters, { region: null }, { 'mcp-param-region': 'ignored' }), undefined)
  assert.equal(headerMismatch(parameters, undefined, {}), undefined)
  assert.equal(headerMismatch(parameters, { size: { not: 'a primitive' } }, {}), undefined)
})

test('a missing, a different and a badly encoded header are each named', TIMEOUT, () => {
  assert.match(headerMismatch(parameters, { region: 'eu' }, {})?.message ?? '', /absent/)
  assert.match(
    headerMismatch(parameters, { region: 'eu' }, { 'mcp-param-region': 'us' })?.message ?? '',
    /decodes to "us"/,
  )
  for (const bad of ['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?='])
    assert.match(
      headerMismatch(parameters, { region: 'Hello' }, { 'mcp-param-region': bad })?.message ?? '',
      /invalid Base64/,
    )
  assert.match(headerMismatch(parameters, { size: 26 }, { 'mcp-param-size': '0x1a' })?.message ?? '', /decodes/)
})

test('text that only looks like a sentinel is literal', TIMEOUT, () => {
  for (const literal of ['=?base64?', 'SGVsbG8=', 'base64?x?=', '']) assert.equal(decodeHeaderValue(literal), literal)
})

test('a long value is quoted in part', TIMEOUT, () => {
  const long = '☂'.repeat(1_000_000)
  for (const headers of [{}, { 'mcp-param-region': 'us' }])
    assert.ok((headerMismatch(parameters, { region: long }, headers)?.message.length ?? Infinity) < 1_000)
})

test('headers that are made of arguments can be sent and agree with them', TIMEOUT, () => {
  const args = fc.record({
    region: fc.string({ unit: 'binary' }),
    size: fc.double(),
    deep: fc.record({ on: fc.boolean() }),
  })
  fc.assert(
    fc.property(args, (given) => {
      const headers = mirroredHeaders(parameters, given)
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value)
      assert.equal(headerMismatch(parameters, given, headers), undefined)
    }),
    { numRuns: 50 },
  )
  assert.deepEqual(mirroredHeaders(parameters, { region: ' a', size: 1 }), {
    'mcp-param-region': base64(' a'),
    'mcp-param-size': '1',
  })
})
