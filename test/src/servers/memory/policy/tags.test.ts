import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readTags, tagsMeant, tidyTag, writeTags } from '../../../../../src/servers/memory/policy/tags.ts'

const timeout = 10_000

/** Whatever can be stored: mostly the characters that mean something here, or any at all. */
const anyTag = fc
  .oneof(
    fc.string({ unit: fc.constantFrom('"', ',', ' ', '\\', 'a', 'b'), maxLength: 12 }),
    fc.string({ unit: 'binary' }),
  )
  .map(tidyTag)
  .filter((text) => text !== '')

test('a comma list is split, trimmed and freed of repeats', { timeout }, () => {
  assert.deepEqual(readTags(' home, work ,home,, x y '), ['home', 'work', 'x y'])
})

test('quotes keep a comma, and belong to the tag where there is none', { timeout }, () => {
  assert.deepEqual(readTags('"a,b", c'), ['a,b', 'c'])
  assert.deepEqual(readTags('c ,"a,b" '), ['c', 'a,b'])
  assert.deepEqual(readTags('"q"'), ['"q"'])
  assert.deepEqual(readTags('5" disk, x'), ['5" disk', 'x'])
  assert.deepEqual(readTags('"a,b'), ['"a', 'b'])
})

test('an array names each tag as it is', { timeout }, () => {
  assert.deepEqual(readTags(['a,b', '"q"', '100%', ' x ']), ['a,b', '"q"', '100%', 'x'])
})

test('absent and blank leave tags alone, an empty array removes them', { timeout }, () => {
  assert.equal(readTags(undefined), undefined)
  assert.equal(readTags(null), undefined)
  assert.equal(readTags('  '), undefined)
  assert.deepEqual(readTags([]), [])
})

test('composed and decomposed letters make the same tag', { timeout }, () => {
  assert.deepEqual(readTags(['caf\u00e9', 'cafe\u0301']), ['caf\u00e9'])
})

test('what is written as a list is read back the same', { timeout }, () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyTag, { minLength: 1, maxLength: 6 }), (tags) => {
      assert.deepEqual(readTags(writeTags(tags)), tags)
    }),
    { numRuns: 1000 },
  )
})

test('a tag is found by its own text and by the text a list shows', { timeout }, () => {
  fc.assert(
    fc.property(anyTag, (tag) => {
      assert.ok(tagsMeant(tag).includes(tag))
      assert.ok(tagsMeant(writeTags([tag])).includes(tag))
      if (!tag.startsWith('"')) assert.deepEqual(tagsMeant(tag), [tag])
    }),
    { numRuns: 1000 },
  )
  assert.deepEqual(tagsMeant('"q"'), ['"q"'])
  assert.deepEqual(tagsMeant('x,'), ['x,'])
  assert.deepEqual(tagsMeant('"a,b"'), ['"a,b"', 'a,b'])
  assert.deepEqual(tagsMeant('"a", "b"'), ['"a", "b"'])
})

test('a tag reads in every list as it has to be given', { timeout }, () => {
  assert.deepEqual(readTags(['two\nlines', 'two  lines', '\ttwo lines ']), ['two lines'])
})

test('a comma list is held to the bounds of an array', { timeout }, () => {
  assert.deepEqual(readTags(`${'é'.repeat(100)}, x`), ['é'.repeat(100), 'x'])
  assert.throws(() => readTags('a'.repeat(101)), {
    code: 'VALIDATION_ERROR',
    message: /at most 100 characters, one has 101/,
  })
  const many = Array.from({ length: 51 }, (_, index) => `t${index}`).join(',')
  assert.throws(() => readTags(many), { code: 'VALIDATION_ERROR', message: /at most 50, are 51/ })
})
