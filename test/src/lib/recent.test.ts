import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from '../../../src/lib/recent.ts'

const timeout = 5_000

test('what was asked for last stays, what nobody wanted goes first', { timeout }, () => {
  const recent = new Recent<string, number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  assert.equal(recent.get('a'), 1)
  recent.set('c', 3)
  assert.equal(recent.get('b'), undefined)
  assert.deepEqual([...recent.values()], [1, 3])
  recent.set('a', 4)
  recent.set('d', 5)
  assert.deepEqual([...recent.values()], [4, 5])
  assert.equal(recent.size, 2)
  recent.clear()
  assert.equal(recent.size, 0)
})
