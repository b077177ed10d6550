import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyseQuery } from '../../../src/search/analyser.ts'
import { found, searchDatabase, store } from './rows.ts'

const timeout = 60_000

test('hyphens and minus signs are text, not syntax', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [ticket = 0] = await store(db, 'Ticket POL-358 is blocked', 'A state of affairs', 'AMF uses band 40')
  assert.deepEqual(found(db, 'POL-358'), [ticket])
  assert.deepEqual(found(db, '-POL'), [ticket])
  assert.equal(found(db, 'state-of-the-art').length, 1)
  assert.equal(found(db, 'AMF -band').length, 1)
})

test('a colon is text, and no column of the index can be named', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [todo = 0, grammar = 0] = await store(db, 'TODO: rotate the key; error:timeout after 9am', 'see grammar::fa')
  assert.deepEqual(found(db, 'TODO: rotate'), [todo])
  assert.deepEqual(found(db, 'error:timeout'), [todo])
  assert.deepEqual(found(db, 'grammar::fa'), [grammar])
  assert.deepEqual(found(db, 'content:TODO'), [todo])
  assert.deepEqual(found(db, 'terms:TODO'), [todo])
  assert.deepEqual(found(db, 'rowid:1'), [])
})

test('full-text syntax, NUL, lone surrogates and nothing at all are harmless', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'plain memory')
  const odd = [
    '',
    ' ',
    '"',
    'a AND',
    'NEAR(',
    'NEAR(a b, 5)',
    'x:y',
    '*',
    '^plain',
    'plain*',
    '(((',
    "';--",
    '{a} : b',
    '\0',
    'plain\0',
    '\ud800',
    '-',
    'OR',
    'NOT plain',
    '%',
    '_',
    // Few letters, many units of UTF-16.
    '\u{1d158}\u{1d165}\u{1d16e}x',
    '\u{1f600}\u{20000}\u{20001}\u{20002}',
  ]
  for (const text of odd) assert.ok(Array.isArray(found(db, text)), JSON.stringify(text))
  assert.equal(found(db, 'plain\0memory \ud800').length, 1)
})

test('Chinese, Japanese and Korean words are found inside running text, and only there', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [zh = 0, ja = 0, ko = 0] = await store(
    db,
    '今天讨论了部署方案',
    '今日は成語しりとりをした',
    '오늘 끝말잇기 게임을 했다',
  )
  assert.deepEqual(found(db, '部署'), [zh])
  assert.deepEqual(found(db, '部署方案'), [zh])
  assert.deepEqual(found(db, 'しりとり'), [ja])
  assert.deepEqual(found(db, '끝말잇기'), [ko])
  assert.deepEqual(found(db, '天'), [zh])
  assert.deepEqual(found(db, '案'), [zh])
  assert.deepEqual(found(db, '龙'), [])
})

test('questions in seven languages find their memory first', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const pairs: readonly (readonly [memory: string, question: string])[] = [
    ['Marta prefers the early train to Porto on Fridays', 'which train does Marta prefer?'],
    ['The staging database was migrated to Postgres 17 in March', 'when did we migrate staging databases'],
    ['Los niños hablaban con la profesora sobre las vacaciones en Sevilla', '¿con quién hablaron los niños?'],
    ['El servidor de pruebas se reinicia todas las noches a las tres', 'cuándo reinician los servidores de prueba'],
    ['Wir haben die alten Häuser an der Straße nach Köln verkauft', 'Wann wurde das Haus in Köln verkauft?'],
    ['Der Kunde möchte die Rechnungen künftig per E-Mail bekommen', 'Rechnung per Email'],
    ['Мы обсуждали развёртывание нового сервера с командой безопасности', 'развертывание серверов безопасность'],
    ['Ёлку поставили в переговорной комнате на втором этаже', 'где поставили елки'],
    ['今天讨论了支付网关的部署方案和回滚计划', '支付网关怎么部署'],
    ['客户希望每周五收到报告', '报告什么时候发给客户'],
    ['明日の会議は三階の会議室で行います', '会議室はどこですか'],
    ['請求書の締め切りは毎月二十五日です', '請求書の締め切り'],
    ['오늘 회의에서 결제 서버 배포 일정을 정했다', '결제 서버 배포 일정'],
    ['고객은 매주 금요일에 보고서를 받고 싶어한다', '보고서는 언제 받나요'],
    ['Le fournisseur livrera les commandes lundi matin', 'quand livre le fournisseur les commandes'],
    ['O novo escritório fica perto da estação de São Bento', 'onde fica o escritório novo'],
    ['La riunione è stata spostata a giovedì pomeriggio', 'spostare riunioni giovedì'],
  ]
  const ids = await store(db, ...pairs.map(([memory]) => memory))
  const missed = pairs.filter(([, question], i) => found(db, question)[0] !== ids[i]).map(([, question]) => question)
  assert.deepEqual(missed, [])
})

test('a rarer word counts more, all words count extra', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const ids = await store(
    db,
    'meeting notes',
    'meeting agenda',
    'meeting about zephyr',
    'zephyr budget',
    'meeting room',
  )
  assert.equal(found(db, 'zephyr meeting')[0], ids[2])
  assert.equal(found(db, 'zephyr meeting')[1], ids[3])
})

test(
  'equal scores are ordered by importance, then newest, then the later id, and always the same',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const content = 'quarterly report draft'
    const [low = 0, old = 0, fresh = 0, high = 0] = await store(
      db,
      { content, importance: 3, at: 9 },
      { content, importance: 5, at: 1 },
      { content, importance: 5, at: 2 },
      { content, importance: 8, at: 1 },
    )
    for (let i = 0; i < 3; i++) assert.deepEqual(found(db, 'report'), [high, fresh, old, low])
  },
)

test(
  'filters come before the cut: a narrow category is never empty because others ranked higher',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    await store(db, ...Array.from({ length: 400 }, () => ({ content: 'invoice invoice invoice', category: 'project' })))
    const [rare = 0] = await store(db, {
      content: 'a long note that mentions one invoice among very many other things',
      category: 'person',
    })
    await store(db, ...Array.from({ length: 400 }, () => ({ content: 'invoice invoice', category: 'project' })))
    assert.deepEqual(found(db, 'invoice', [{ sql: 'r.category = ?', params: ['person'] }]), [rare])
  },
)

test(
  'what a memory says next to the asked words is found with them, in one conversation only',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const context = '1:56 pm on 8 May, 2023'
    const [, , question = 0, answer = 0, stranger = 0] = await store(
      db,
      { content: 'Ann: the weather is lovely', context },
      { content: 'Ben: yes, at last', context },
      { content: 'Ann: which telescope did you buy in the end?', context },
      { content: 'Ben: the Dobsonian with the eight inch mirror', context },
      { content: 'Cleo: unrelated remark', context: 'another day' },
    )
    const ids = found(db, 'telescope bought')
    assert.equal(ids[0], question)
    assert.ok(ids.includes(answer))
    assert.ok(!ids.includes(stranger))
  },
)

test('a label before a colon says whose words these are', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [, own = 0] = await store(
    db,
    'Ben: Melanie likes pottery a lot',
    'Melanie: pottery is what keeps me calm',
    'Ben: nothing here',
  )
  assert.equal(found(db, 'Melanie pottery')[0], own)
})

test('a query of stop words alone still searches', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [, who = 0] = await store(db, 'Who is at the door?', 'Tickets for The Who in Leeds', 'nothing')
  assert.deepEqual(analyseQuery('the who', ['en']).terms, [])
  assert.equal(found(db, 'the who')[0], who)
})

test(
  'a misspelled word finds its neighbour, a part of a word finds the word, and only when the word itself is unknown',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const [festival = 0, error = 0] = await store(
      db,
      'The summer festival in Turin',
      'ERR_MODULE_NOT_FOUND while building',
    )
    for (const slip of ['fesetival', 'festivl', 'fetsival', 'fextival'])
      assert.deepEqual(found(db, slip), [festival], slip)
    assert.deepEqual(found(db, 'fesstivaal'), [])
    assert.deepEqual(found(db, 'ODULE_NOT_F'), [error])
    assert.deepEqual(found(db, 'stiva'), [festival])
    assert.deepEqual(found(db, 'xyzzy'), [])
  },
)

test(
  'of many unknown words the first few are corrected, and the first few looked for inside words',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const names = [
      'harbour',
      'kitchen',
      'blanket',
      'diamond',
      'journal',
      'penguin',
      'umbrella',
      'volcano',
      'whistle',
      'zeppelin',
    ]
    const ids = await store(db, ...names)
    const slips = names.map((name) => name.slice(0, -1) + 'q')
    assert.deepEqual(found(db, slips.join(' ')).toSorted(byNumber), ids.slice(0, 8))
    for (const [at, slip] of slips.entries()) assert.deepEqual(found(db, slip), ids.slice(at, at + 1), slip)
    const parts = names.map((name) => name.slice(1, -1))
    assert.deepEqual(found(db, parts.join(' ')).toSorted(byNumber), ids.slice(0, 8))
    // Short words and known ones do not use it up.
    assert.deepEqual(found(db, `${'xq yq zq vq wq uq pq mq nq '.repeat(2)} ${slips[9]}`), ids.slice(9))
  },
)

function byNumber(a: number, b: number): number {
  return a - b
}
