import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { mergeSections, type Section } from '../../../../../src/servers/memory/policy/sections.ts'

const timeout = 10_000

const section = (
  id: number,
  key: string,
  scope: { deviceId?: string; projectId?: number } = {},
  more: Partial<Section> = {},
): Section => ({
  id,
  key,
  title: key,
  content: `${key} ${id}`,
  sortOrder: 0,
  enabled: true,
  deviceId: scope.deviceId ?? null,
  projectId: scope.projectId ?? null,
  ...more,
})

test('the most specific scope wins: both, then project, then device, then global', { timeout }, () => {
  const rows = [
    section(1, 'a'),
    section(2, 'a', { deviceId: 'd' }),
    section(3, 'a', { projectId: 1 }),
    section(4, 'a', { deviceId: 'd', projectId: 1 }),
  ]
  assert.deepEqual(
    [4, 3, 2, 1].map((count) => mergeSections(rows.slice(0, count))[0]?.id),
    [4, 3, 2, 1],
  )
})

test('a key that exists only in a scope is added, in its order', { timeout }, () => {
  const merged = mergeSections([
    section(1, 'a', {}, { sortOrder: 10 }),
    section(2, 'b', { deviceId: 'd' }, { sortOrder: 5 }),
  ])
  assert.deepEqual(
    merged.map(({ key }) => key),
    ['b', 'a'],
  )
})

test('a disabled override hides its key', { timeout }, () => {
  assert.deepEqual(mergeSections([section(1, 'a'), section(2, 'a', { deviceId: 'd' }, { enabled: false })]), [])
})

test('the order of the rows does not matter', { timeout }, () => {
  const rows = [
    section(1, 'a'),
    section(2, 'b'),
    section(3, 'a', { projectId: 1 }),
    section(4, 'b', { deviceId: 'd' }),
    section(5, 'c', { deviceId: 'd', projectId: 1 }),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
      assert.deepEqual(mergeSections(shuffled), mergeSections(rows))
    }),
  )
})
