import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '../../../src/lib/ids.ts'

test(
  'ids are UUIDv7, all different, and sort in the order they were made, also when the clock stands or steps back',
  { timeout: 10_000 },
  () => {
    let now = Date.UTC(2026, 0, 1)
    const ids = createIds({ now: () => now })
    const made: string[] = []
    for (let count = 0; count < 20_000; count++) {
      made.push(ids.uid())
      if (count % 7000 === 6999) now += 5
      if (count === 12_000) now -= 60_000
    }
    assert.deepEqual(made, made.toSorted())
    assert.equal(new Set(made).size, made.length)
    for (const uid of made.slice(0, 100))
      assert.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(made[0]?.replaceAll('-', '').slice(0, 12) ?? '', 16), Date.UTC(2026, 0, 1))
  },
)

test('tokens are 32 base64url characters and never repeat', { timeout: 5000 }, () => {
  const ids = createIds()
  const made = new Set(Array.from({ length: 1000 }, () => ids.token()))
  assert.equal(made.size, 1000)
  for (const token of made) assert.match(token, /^[\w-]{32}$/)
})
