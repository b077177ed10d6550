import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, deepFreeze, isRecord, objectOf } from '../../../src/lib/json.ts'

test('equal values have the same canonical JSON whatever the order of their keys', { timeout: 5000 }, () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed())
      assert.equal(canonicalJson(reversed), canonicalJson(value))
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
  assert.equal(canonicalJson({ b: 1, a: [{ d: undefined, c: 2 }] }), '{"a":[{"c":2}],"b":1}')
  assert.equal(canonicalJson(undefined), 'null')
})

test('deepFreeze reaches every object, and isRecord means a JSON object', { timeout: 5000 }, () => {
  const tree = deepFreeze({ a: [{ b: {} }] })
  assert.ok(Object.isFrozen(tree.a) && Object.isFrozen(tree.a[0]) && Object.isFrozen(tree.a[0]?.b))
  assert.deepEqual([isRecord({}), isRecord([]), isRecord(null), isRecord('x')], [true, false, false, false])
})

test('what is no object counts as one without members', { timeout: 5000 }, () => {
  for (const value of [null, undefined, [1], 'text', 7]) assert.deepEqual(objectOf(value), {})
  assert.deepEqual(objectOf({ a: 1 }), { a: 1 })
})
