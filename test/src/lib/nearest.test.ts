import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nearest } from '../../../src/lib/nearest.ts'

const timeout = 10_000
const tools = ['store_memory', 'search_memories', 'delete_memory', 'list_memories', 'dream']

test('a typing mistake finds the name that was meant', { timeout }, () => {
  assert.equal(nearest('store_memroy', tools), 'store_memory')
  assert.equal(nearest('Store-Memory', tools), 'store_memory')
  assert.equal(nearest('search_memorie', tools), 'search_memories')
  assert.equal(nearest('draem', tools), 'dream')
})

test('the beginning or the end of a name counts as near', { timeout }, () => {
  assert.equal(nearest('store', tools), 'store_memory')
  assert.equal(nearest('crow_dream'.slice(5), tools), 'dream')
})

test('a name that resembles nothing gets no suggestion', { timeout }, () => {
  assert.equal(nearest('quarterly_report', tools), undefined)
  assert.equal(nearest('', tools), undefined)
  assert.equal(nearest('x', []), undefined)
})

test('a known name is always nearest to itself', { timeout }, () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,24}$/), { minLength: 1, maxLength: 20 }),
      fc.nat(),
      (names, pick) => {
        const name = names[pick % names.length] ?? ''
        if (name.replaceAll('_', '') === '') return
        const found = nearest(name, names)
        assert.equal(found, name)
      },
    ),
  )
})
