import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canMerge, mergedFields, planMerges, type Pair } from '../../../../../src/servers/memory/policy/merging.ts'
import type { Memory } from '../../../../../src/servers/memory/queries/memories.ts'

const timeout = 10_000

const memory = (id: number, more: Partial<Memory> = {}): Memory => ({
  id,
  uid: `u${id}`,
  content: 'the deploy key is rotated on the first day',
  category: 'process',
  context: null,
  source: null,
  importance: 5,
  projectId: null,
  instanceId: null,
  createdAt: id,
  updatedAt: id,
  accessedAt: null,
  accessCount: 0,
  version: 1,
  deletedAt: null,
  lamport: 1,
  tags: [],
  ...more,
})

const byId = (...memories: Memory[]): Map<number, Memory> => new Map(memories.map((item) => [item.id, item]))

test('texts that differ in a number or a negation are never merged', { timeout }, () => {
  const different = [
    ['the meeting with Ana is at 9 in the big room', 'the meeting with Ana is at 10 in the big room'],
    ['Ana likes coffee in the morning', 'Ana does not like coffee in the morning'],
    ['it does work on Mondays', "it doesn't work on Mondays"],
    ['Ana come carne los domingos', 'Ana no come carne los domingos'],
    ['версия 1.2 работает', 'версия 1.3 работает'],
    ['the meeting moved from 9 to 10', 'the meeting moved from 10 to 9'],
  ] as const
  for (const [left, right] of different) {
    assert.equal(canMerge(memory(1, { content: left }), memory(2, { content: right }), 0.99), false, left)
  }
})

test('only memories of one category, project and instance are merged', { timeout }, () => {
  assert.equal(canMerge(memory(1), memory(2), 0.8), true)
  assert.equal(canMerge(memory(1), memory(2), 0.79), false)
  assert.equal(canMerge(memory(1), memory(2, { category: 'person' }), 1), false)
  assert.equal(canMerge(memory(1), memory(2, { projectId: 1 }), 1), false)
  assert.equal(canMerge(memory(1, { instanceId: 'a' }), memory(2, { instanceId: 'b' }), 1), false)
})

test('the better one stays, with all tags, the highest importance and every access', { timeout }, () => {
  const kept = memory(1, { importance: 7, tags: ['a'], accessCount: 2 })
  const absorbed = memory(2, { importance: 4, tags: ['a', 'b'], accessCount: 3, context: 'from March' })
  const [group] = planMerges(byId(absorbed, kept), [{ left: 1, right: 2, similarity: 0.9 }])
  assert.equal(group?.keep.id, 1)
  assert.deepEqual(group && mergedFields(group), {
    tags: ['a', 'b'],
    importance: 7,
    accessCount: 5,
    context: 'from March',
  })
})

test('likeness is not handed on: a memory joins only one that it resembles itself', { timeout }, () => {
  const chain: Pair[] = [
    { left: 1, right: 2, similarity: 0.85 },
    { left: 2, right: 3, similarity: 0.85 },
  ]
  const groups = planMerges(byId(memory(1, { importance: 9 }), memory(2), memory(3)), chain)
  assert.deepEqual(
    groups.map(({ keep, absorb }) => [keep.id, absorb.map(({ id }) => id)]),
    [[1, [2]]],
  )
})

test('whatever the pairs, no memory is in two groups and each absorbed one resembles its keeper', { timeout }, () => {
  const ids = fc.integer({ min: 1, max: 12 })
  const pair = fc
    .tuple(ids, ids)
    .filter(([left, right]) => left !== right)
    .map(([left, right]): Pair => ({ left: Math.min(left, right), right: Math.max(left, right), similarity: 0.9 }))
  const all = byId(...Array.from({ length: 12 }, (_, index) => memory(index + 1, { importance: 1 + (index % 10) })))
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 30 }), (pairs) => {
      const groups = planMerges(all, pairs)
      const members = groups.flatMap(({ keep, absorb }) => [keep.id, ...absorb.map(({ id }) => id)])
      assert.equal(new Set(members).size, members.length)
      for (const { keep, absorb } of groups) {
        for (const { id } of absorb) {
          assert.ok(pairs.some(({ left, right }) => left === Math.min(id, keep.id) && right === Math.max(id, keep.id)))
        }
      }
    }),
  )
})
