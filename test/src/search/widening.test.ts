import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equivalentsOf } from '../../../src/search/equivalents.ts'
import { createRanker } from '../../../src/search/ranker.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { stem } from '../../../src/search/stems.ts'
import { found, searchDatabase, store } from './rows.ts'

const timeout = 60_000

test('a word finds what means nearly the same, after what has the word itself', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [photo = 0, picture = 0, other = 0] = await store(
    db,
    'a photo of the harbour',
    'a picture of the harbour',
    'a map of the harbour',
  )
  assert.deepEqual(found(db, 'photo'), [photo, picture])
  assert.deepEqual(found(db, 'pictures'), [picture, photo])
  assert.ok(!found(db, 'photo').includes(other))
})

test('a word that no memory has is found by its equivalent, not by parts of words', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [children = 0] = await store(db, 'Ana has two children', 'the kidney recipe')
  assert.deepEqual(found(db, 'kids'), [children])
  assert.equal(createRanker(db.sqlite, memoryIndex).rank('kids', []).leg, 'words')
})

test('parts of words are found beside the equivalent of another word', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [mother = 0, database = 0] = await store(
    db,
    'mother lives in Oslo',
    'postgresql runs on port 5432',
    'the maximum speed',
  )
  assert.deepEqual(
    found(db, 'mum gresql').toSorted((a, b) => a - b),
    [mother, database],
  )
  assert.deepEqual(found(db, 'mum'), [mother])
})

test('a rare word stays rare although its equivalent is common', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [start = 0] = await store(db, 'start of the tour')
  await store(db, ...Array.from({ length: 30 }, (_, at) => `they begin lesson ${at}`))
  await store(db, ...Array.from({ length: 8 }, (_, at) => `harbour note ${at}`))
  assert.equal(found(db, 'start harbour')[0], start)
})

test('in another language no English equivalents are looked for', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'our flat is warm')
  assert.deepEqual(found(db, 'el apartment de los niños que no está'), [])
  assert.equal(found(db, 'apartment').length, 1)
})

test('what is equivalent to a word has that word as its equivalent, and none is its own', { timeout }, () => {
  for (const word of ['kid', 'photo', 'colour', 'begin', 'artist', 'spouse', 'wife']) {
    const one = stem(word, 'en')
    const others = equivalentsOf(one)
    assert.ok(others.length > 0 && !others.includes(one), word)
    for (const other of others) assert.ok(equivalentsOf(other).includes(one), `${word}, ${other}`)
  }
  assert.deepEqual(equivalentsOf('harbour'), [])
  // One word may stand in two groups that have nothing else in common.
  assert.ok(!equivalentsOf('wife').includes('husband'))
})
