import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuplicateFinder, SIMILARITY_MIN } from '../../../src/search/duplicates.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { similarity } from '../../../src/search/shingles.ts'
import type { NearDuplicate } from '../../../src/search/spec.ts'
import type { Database } from '../../../src/db/client.ts'
import { searchDatabase, softDelete, store } from './rows.ts'

const timeout = 60_000

const LONG =
  'Marta Oliveira prefers the early train from Lisbon to Porto on Fridays because the late one is usually crowded and the conductor ' +
  'never checks seat reservations after Coimbra station'

/** Pairs that a person would call the same memory written twice. */
const SAME: readonly (readonly [string, string])[] = [
  ['The staging database runs Postgres 17', 'the staging database runs postgres 17.'],
  ['ok', 'OK!'],
  ['Buy milk', 'buy MILK'],
  [LONG, `${LONG}.`],
  [LONG, LONG.toUpperCase()],
  [LONG, LONG.replace('Fridays', 'Mondays')],
  [LONG, `${LONG} as of May`],
  [
    'Prefers café con leche — no sugar — every morning at nine',
    'prefers cafe con leche, no sugar, every morning at nine',
  ],
  ['Straße und Häuser in Köln sind teuer geworden', 'Strasse und Häuser in Köln sind teuer geworden'],
  ['今天讨论了支付网关的部署方案和回滚计划', '今天讨论了支付网关的部署方案和回滚计划。'],
  ['Мы обсудили план развёртывания на пятницу', 'мы обсудили план развертывания на пятницу'],
  ['Call https://example.com/a/b?c=1 before v1.2.3 ships', 'call https://example.com/a/b?c=1 before v1.2.3 ships!'],
]

/** Pairs that share words, and say different things. */
const DIFFERENT: readonly (readonly [string, string])[] = [
  ['The staging database runs Postgres 17', 'The production database runs Postgres 16'],
  ['ok', 'okay'],
  ['Buy milk', 'Buy bread'],
  ['Buy milk', 'milk buy'],
  ['Ada prefers tea to coffee', 'Ada prefers coffee to tea'],
  ['Deploy on Friday at noon', 'Deploy on Monday at noon'],
  [LONG, LONG.split(' ').toReversed().join(' ')],
  [LONG, LONG.split(' ').slice(0, 12).join(' ')],
  ['Ticket POL-358 is blocked by POL-359', 'Ticket POL-359 is blocked by POL-358'],
  ['今天讨论了支付网关的部署方案', '今天讨论了登录页面的设计方案'],
  ['', ''],
  ['!!!', '???'],
]

function find(
  db: Database,
  text: string,
  options: { limit?: number; exceptId?: number; threshold?: number } = {},
): NearDuplicate[] {
  return new DuplicateFinder(db.sqlite, memoryIndex).find({ text, ...options })
}

test('pairs that say the same are near-duplicates, in either order', { timeout }, () => {
  for (const [a, b] of SAME) {
    assert.ok(similarity(a, b) >= SIMILARITY_MIN, `${similarity(a, b)} ${a} | ${b}`)
    assert.equal(similarity(a, b), similarity(b, a))
  }
})

test('pairs that say different things are not, however many words they share', { timeout }, () => {
  for (const [a, b] of DIFFERENT) assert.ok(similarity(a, b) < SIMILARITY_MIN, `${similarity(a, b)} ${a} | ${b}`)
})

test('a stored memory is found by its near-duplicate among many others', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const others = Array.from(
    { length: 300 },
    (_, i) => `Memory ${i}: the train to Porto on day ${i} was late, Lisbon station closed`,
  )
  await store(db, ...others)
  const ids = await store(db, ...SAME.map(([a]) => a))
  for (const [i, [, b]] of SAME.entries()) {
    assert.ok(
      find(db, b, { limit: 10 }).some((duplicate) => duplicate.id === ids[i]),
      b,
    )
  }
  for (const [, b] of DIFFERENT.slice(0, 6)) {
    const near = find(db, b).filter((duplicate) => similarity(b, others[duplicate.id - 1] ?? '') < SIMILARITY_MIN)
    assert.ok(
      near.every((duplicate) => ids.includes(duplicate.id)),
      b,
    )
  }
})

test(
  'duplicates come most similar first, as many as asked for, without the row itself and without deleted rows',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const [first = 0, changed = 0, deleted = 0] = await store(db, LONG, LONG.replace('Fridays', 'Mondays'), LONG)
    await softDelete(db, deleted)
    assert.deepEqual(
      find(db, LONG).map((duplicate) => duplicate.id),
      [first, changed],
    )
    assert.deepEqual(
      find(db, LONG, { limit: 1 }).map((duplicate) => duplicate.id),
      [first],
    )
    assert.deepEqual(
      find(db, LONG, { exceptId: first }).map((duplicate) => duplicate.id),
      [changed],
    )
  },
)

test('a text of stop words only, and one of common words only, find their duplicate', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: 900 }, (_, i) => `common words in every memory, number ${i % 7}`))
  const [stop = 0, common = 0] = await store(db, 'To be or not to be', 'every memory number in common words')
  assert.equal(find(db, 'to be, or not to be?')[0]?.id, stop)
  assert.equal(find(db, 'Every memory: number in common words')[0]?.id, common)
})

test('one word that very many memories have is looked for without failing', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: 900 }, (_, i) => `word number ${i}`))
  const [id = 0] = await store(db, 'word')
  assert.deepEqual(
    find(db, 'Word!').map((duplicate) => duplicate.id),
    [id],
  )
})
