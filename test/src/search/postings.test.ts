import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fuse } from '../../../src/search/fusion.ts'
import { encodePostings, readPostings } from '../../../src/search/postings.ts'

const timeout = 20_000

test('terms and counts come back as they were written, in order of terms', { timeout }, () => {
  const posting = fc
    .tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 1, max: 250 }))
    .map(([term, quarters]) => ({ term, count: quarters / 4 }))
  fc.assert(
    fc.property(fc.uniqueArray(posting, { selector: (one) => one.term, maxLength: 200 }), (postings) => {
      const read: { term: number; count: number }[] = []
      readPostings(encodePostings(postings), (term, count) => read.push({ term, count }))
      assert.deepEqual(
        read,
        postings.toSorted((a, b) => a.term - b.term),
      )
    }),
    { numRuns: 300 },
  )
})

test('counts that do not fit are kept at the bound', { timeout }, () => {
  const read: number[] = []
  readPostings(
    encodePostings([
      { term: 1, count: 1e6 },
      { term: 2, count: 0 },
    ]),
    (_, count) => read.push(count),
  )
  assert.deepEqual(read, [63.75, 0.25])
})

function rows(...ids: number[]): { id: number }[] {
  return ids.map((id) => ({ id }))
}

test('what both rankings put high comes first, and each row comes once', { timeout }, () => {
  assert.deepEqual(
    fuse([rows(1, 2, 3), rows(3, 4, 1)]).map((hit) => hit.id),
    [1, 3, 2, 4],
  )
  assert.deepEqual(
    fuse([[], rows(7)]).map((hit) => hit.id),
    [7],
  )
  assert.deepEqual(fuse([[], []]), [])
})
