import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSourceId, nameAll, publicName, PUBLIC_NAME, sourceOf } from '../../../src/upstream/names.ts'

const timeout = 20_000

test('a name that fits is joined as it is, and a hash is added exactly when it does not', { timeout }, () => {
  assert.equal(publicName('github', 'create_issue'), 'github_create_issue')
  assert.equal(publicName('a-b', 'Get-Thing_2'), 'a-b_Get-Thing_2')
  assert.match(publicName('github', 'issues.create'), /^github_issues_create_[0-9a-f]{8}$/)
  const exactly = 'x'.repeat(64 - 'github_'.length)
  assert.equal(publicName('github', exactly), `github_${exactly}`)
  assert.match(publicName('github', `${exactly}y`), /^github_x+_[0-9a-f]{8}$/)
})

test('long names with one beginning stay apart, whatever the order of the servers', { timeout }, () => {
  const id = 'google-workspace-enterprise'
  const originals = [
    'calendar_events_list_with_attendees_and_conference_details_v1',
    'calendar_events_list_with_attendees_and_conference_details_v2',
    'n'.repeat(128),
  ]
  const names = originals.map((original) => publicName(id, original))
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, PUBLIC_NAME)
  assert.deepEqual([...nameAll(id, originals.toReversed()).names.values()].toReversed(), names)
})

const anyId = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/)

test('any name becomes one that providers take, begins with its id, and does so again', { timeout }, () => {
  fc.assert(
    fc.property(anyId, fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (id, original) => {
      assert.ok(isSourceId(id))
      const name = publicName(id, original)
      assert.match(name, PUBLIC_NAME)
      assert.equal(sourceOf(name), id)
      assert.equal(publicName(id, original), name)
    }),
  )
})

test('different tools of different servers never share a name', { timeout }, () => {
  const tool = fc.tuple(anyId, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }))
  fc.assert(
    fc.property(tool, tool, ([id, original], [otherId, otherOriginal]) => {
      fc.pre(id !== otherId || original !== otherOriginal)
      assert.notEqual(publicName(id, original), publicName(otherId, otherOriginal))
    }),
  )
})

test('of names that look alike one is kept, the same one in any order', { timeout }, () => {
  const alike = ['read_file', 'Read_File', 'reаd_file', 'read\u{200B}_file', 'ｒead_file']
  for (const order of [alike, alike.toReversed()]) {
    const { names, refused } = nameAll('fs', order)
    // Capitals come first in the order of code units, and both are plain.
    assert.deepEqual([...names], [['Read_File', 'fs_Read_File']])
    assert.equal(refused.length, alike.length - 1)
    for (const { reason } of refused) assert.match(reason, /looks like "Read_File"/)
  }
})

test('a plain name is kept before one that only looks like it', { timeout }, () => {
  const { names } = nameAll('fs', ['Аread', 'aread'])
  assert.deepEqual([...names.keys()], ['aread'])
})

test('names of the gateway, empty and endless ones are refused with a sentence', { timeout }, () => {
  const { names, refused } = nameAll('context', ['append', 'other', '', 'y'.repeat(2_000)], new Set(['context_append']))
  assert.deepEqual([...names.values()], ['context_other'])
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    [
      '"context_append" is a name of the gateway itself.',
      'A name has 1 to 1024 characters.',
      'A name has 1 to 1024 characters.',
    ],
  )
  assert.ok(refused.every(({ original }) => original.length <= 80))
})

test('what a refused name hides is shown as a replacement character', { timeout }, () => {
  const { refused } = nameAll('fs', ['list', 'list\u{202E}\u{1B}[2J'])
  assert.ok(refused.every(({ original }) => !/\p{C}/u.test(original)))
})
