import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { listKey, readCursor, writeCursor } from '../../../../../src/servers/memory/policy/cursor.ts'

const timeout = 10_000

test('a position survives its cursor', { timeout }, () => {
  const field = fc.oneof(fc.maxSafeInteger(), fc.constant(null))
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 4 }), (position) => {
      assert.deepEqual(readCursor('k', writeCursor('k', position), position.length), position)
    }),
  )
})

test('a cursor of other filters, a made-up one and a damaged one are refused with what to do', { timeout }, () => {
  const key = listKey('memories', { category: 'a' })
  const foreign = writeCursor(listKey('memories', { category: 'b' }), [1, 2])
  const damaged = writeCursor(key, [1, 2]).slice(0, -4)
  const worded = Buffer.from(JSON.stringify([key, 'a', 'b'])).toString('base64url')
  for (const cursor of [
    foreign,
    damaged,
    worded,
    'nonsense',
    '!!!',
    writeCursor(key, [1]),
    writeCursor(key, [1, 0.5]),
  ]) {
    assert.throws(() => readCursor(key, cursor, 2), { code: 'VALIDATION_ERROR', recovery: /cursor/ })
  }
})

test('absent filters and blank ones ask the same question', { timeout }, () => {
  assert.equal(listKey('m', { a: undefined, b: 1 }), listKey('m', { b: 1, a: '' }))
  assert.notEqual(listKey('m', { b: 1 }), listKey('m', { b: 2 }))
})

test('no cursor is the start of the list', { timeout }, () => {
  assert.equal(readCursor('k', undefined, 1), undefined)
  assert.equal(readCursor('k', '', 1), undefined)
})
