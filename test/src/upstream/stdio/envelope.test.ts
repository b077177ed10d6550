// The text of parameters is put together from texts; what it says is what an object would have said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { objectOf } from '../../../../src/lib/json.ts'
import { paramsText } from '../../../../src/upstream/stdio/envelope.ts'

const timeout = 20_000
const PREFIX = 'io.modelcontextprotocol/'
const OURS = [
  'progressToken',
  ...['protocolVersion', 'clientInfo', 'clientCapabilities', 'subscriptionId'].map((name) => PREFIX + name),
]

const json = fc.jsonValue({ maxDepth: 2 })
const name = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(...OURS, '__proto__', 'constructor', `${PREFIX}logLevel`),
)
const params = fc.record(
  { name: fc.string(), arguments: json, _meta: fc.oneof(fc.dictionary(name, json), json, fc.constant(undefined)) },
  { requiredKeys: [] },
)

test('whatever the caller gives, only what is ours to say is said by us, and the rest by them', { timeout }, () => {
  const said = fc.record(
    { progressToken: fc.integer({ min: 1 }), capabilities: fc.dictionary(fc.string(), json) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(params, fc.constantFrom('2025', '2026'), said, (given, era, { progressToken, capabilities }) => {
      const { _meta: meta, ...rest } = objectOf(JSON.parse(paramsText(given, era, { progressToken, capabilities })))
      const { _meta: givenMeta, ...givenRest } = objectOf(JSON.parse(JSON.stringify(given)))
      assert.deepEqual(rest, givenRest)
      const theirs = Object.entries(objectOf(givenMeta)).filter(([key]) => !OURS.includes(key))
      const seen = Object.entries(objectOf(meta)).filter(([key]) => !OURS.includes(key))
      assert.deepEqual(seen, theirs)
      const own = objectOf(meta)
      assert.equal(own['progressToken'], progressToken)
      assert.equal(own[`${PREFIX}protocolVersion`], era === '2026' ? '2026-07-28' : undefined)
      const expected = era === '2026' ? JSON.parse(JSON.stringify(capabilities ?? {})) : undefined
      assert.deepEqual(own[`${PREFIX}clientCapabilities`], expected)
    }),
  )
})

test('a session gets what the caller gave, letter by letter, where there is nothing to add', { timeout }, () => {
  const given = { name: 'echo', arguments: { message: 'é\u2028' } }
  assert.equal(paramsText(given, '2025', {}), JSON.stringify(given))
  assert.equal(paramsText({}, '2025', {}), '{}')
  assert.equal(paramsText({}, '2025', { progressToken: 7 }), '{"_meta":{"progressToken":7}}')
})
