// What a client may say about where it works, in headers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { placedCaller, placeHeaders } from '../../../src/mcp/place-headers.ts'
import type { Caller } from '../../../src/runtime/context.ts'

const timeout = 10_000
const caller: Caller = { id: 'local:1', kind: 'local', scopes: 'all' }

const placeOf = (headers: Record<string, string | string[]>) => placedCaller(headers, caller)?.place

test('a place is read from either header or both; none, and empty ones, are no place', { timeout }, () => {
  assert.equal(placedCaller({}, caller), caller)
  assert.deepEqual(placeOf({ 'crow-device': 'phone' }), { deviceId: 'phone' })
  assert.deepEqual(placeOf({ 'crow-project': '7' }), { projectId: 7 })
  assert.deepEqual(placeOf({ 'crow-device': 'my phone', 'crow-project': '7' }), { deviceId: 'my phone', projectId: 7 })
  assert.deepEqual(placeOf({ 'crow-device': '', 'crow-project': '' }), {})
})

test('what cannot be the name of a device or the number of a project is refused', { timeout }, () => {
  const long = 'x'.repeat(201)
  for (const device of [long, ' a', 'a  b', 'a\tb', 'a\u0000', '=?base64?!!?=', '=?base64?/w==?=', encoded('a\nb')])
    assert.equal(placedCaller({ 'crow-device': device }, caller), undefined, JSON.stringify(device))
  for (const project of ['0', '-1', '1.5', '1e3', '0x1', ' 1', '01', '1'.repeat(16), 'x', '1, 2'])
    assert.equal(placedCaller({ 'crow-project': project }, caller), undefined, project)
  assert.equal(placedCaller({ 'crow-project': ['1', '2'] }, caller), undefined)
})

const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

test('any device that a section can be for travels in a header and comes back', { timeout }, () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !/[\s\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1 }), (words, projectId) => {
      const place = { deviceId: words.join(' '), projectId }
      fc.pre(place.deviceId.length <= 200)
      const headers = Object.entries(placeHeaders(place)).map(([name, value]) => [name.toLowerCase(), value])
      for (const [, value] of headers) assert.match(String(value), /^[\w.:=?/+ -]+$/)
      assert.deepEqual(placeOf(Object.fromEntries(headers)), place)
    }),
  )
})
