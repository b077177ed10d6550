import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, searchDatabase, store } from './rows.ts'
import type { TestMemory } from './rows.ts'

const timeout = 60_000

function inContext(context: string, ...contents: readonly string[]): TestMemory[] {
  return contents.map((content) => ({ content, context }))
}

test(
  'of two alike, the one whose conversation says the other words of the question comes first',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const lisbon = inContext(
      'monday call',
      'Ann: we walked through Lisbon all day',
      'Ben: nice weather',
      'Ann: yes, and then rain',
      'Ben: the hotel had a leaking roof',
    )
    const porto = inContext(
      'friday call',
      'Cleo: Porto was crowded',
      'Dan: was it',
      'Cleo: every street',
      'Dan: the hotel had a leaking roof',
    )
    const ids = await store(db, ...lisbon, ...porto)
    const order = found(db, 'leaking hotel roof in Lisbon').filter((id) => id === ids[3] || id === ids[7])
    assert.deepEqual(order, [ids[3], ids[7]])
  },
)

test('a conversation lifts what it says close by, not what it said long ago', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const filler = Array.from({ length: 200 }, (_, at) => `entry ${at} about nothing`)
  const diary = inContext('diary', 'Lisbon at last', ...filler, 'the hotel had a leaking roof')
  const ids = await store(db, ...diary, ...inContext('letters', 'the hotel had a leaking roof'))
  const [far, letter] = ids.slice(-2)
  // Nothing near either of them says Lisbon, so the later one of two equal ones comes first.
  const order = found(db, 'leaking hotel roof in Lisbon').filter((id) => id === far || id === letter)
  assert.deepEqual(order, [letter, far])
})

test(
  'a memory alone that says everything comes before a conversation that says it in pieces',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const pieces = inContext('call', 'Ann: the roof', 'Ben: which hotel', 'Ann: it was leaking', 'Ben: in Lisbon?')
    await store(db, ...pieces)
    const [alone] = await store(db, 'the hotel in Lisbon had a leaking roof')
    await store(db, ...pieces.map(({ content }) => ({ content, context: 'another call' })))
    assert.equal(found(db, 'leaking hotel roof in Lisbon')[0], alone)
  },
)

test('surroundings find nothing by themselves', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const ids = await store(
    db,
    ...inContext('call', 'roof', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'),
  )
  assert.ok(!found(db, 'roof').includes(ids[8] ?? 0))
})

test('a name in a question counts more than another word that is as rare', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [ofIris = 0, blossom = 0] = await store(db, 'Iris paints at night', 'a blossom on the table')
  assert.deepEqual(found(db, 'which blossom did Iris paint'), [ofIris, blossom])
  assert.deepEqual(found(db, 'the blossom of Iris'), [ofIris, blossom])
  // Without capitals neither is a name, and the later one comes first.
  assert.deepEqual(found(db, 'the blossom of iris'), [blossom, ofIris])
  // A capital that begins a sentence says nothing.
  assert.deepEqual(found(db, 'Iris, blossom'), [blossom, ofIris])
  assert.deepEqual(found(db, 'Well? Iris, blossom'), [blossom, ofIris])
})
