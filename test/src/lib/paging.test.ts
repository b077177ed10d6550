// Walking through a long list part by part: nothing twice, nothing left out, whatever goes meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CURSOR_FORM, portionOf } from '../../../src/lib/paging.ts'

const timeout = 20_000
const place = ({ id, at }: { id: number; at: number }) => ({ at, key: String(id) })

test('every row comes once, newest first, also while rows that were seen are deleted', { timeout }, () => {
  const rows = fc.uniqueArray(fc.record({ id: fc.nat(2000), at: fc.nat(5) }), {
    selector: ({ id }) => id,
    maxLength: 60,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 7 }), fc.boolean(), (list, limit, deletes) => {
      let left = [...list]
      const seen: { id: number; at: number }[] = []
      let cursor: string | undefined
      for (let turn = 0; turn <= list.length; turn++) {
        const portion = portionOf(left, place, { cursor, limit })
        assert.equal(portion.total, left.length)
        seen.push(...portion.rows)
        if (deletes) left = left.filter((row) => !portion.rows.includes(row))
        if (portion.next === null) break
        assert.match(portion.next, new RegExp(CURSOR_FORM))
        cursor = portion.next
      }
      const expected = list.toSorted((one, other) => other.at - one.at || other.id - one.id)
      assert.deepEqual(seen, expected)
    }),
    { numRuns: 200 },
  )
})

test('what is no cursor means the beginning', { timeout }, () => {
  const rows = [{ id: 1, at: 5 }]
  for (const cursor of ['', '-', '5', 'x-1', '5-', '5-%00', `5-${'a'.repeat(65)}`])
    assert.deepEqual(portionOf(rows, place, { cursor, limit: 9 }).rows, rows, cursor)
})
