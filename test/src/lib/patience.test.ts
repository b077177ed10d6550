import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patiently } from '../../../src/lib/patience.ts'

const timeout = 10_000

test('what holds already is not waited for, and nothing is waited for longer than asked', { timeout }, async () => {
  assert.equal(await patiently(() => true, 0), true)
  assert.equal(await patiently(() => false, 0), false)
  const startedAt = performance.now()
  assert.equal(await patiently(() => false, 50), false)
  assert.ok(performance.now() - startedAt >= 49)
  let looks = 0
  assert.equal(await patiently(() => ++looks === 3, 5_000), true)
})
