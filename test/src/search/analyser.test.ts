import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { analyse, analyseQuery } from '../../../src/search/analyser.ts'

const timeout = 20_000

function terms(text: string): string[] {
  return [...analyse(text).counts.keys()]
}

/** Whether a text is found by a query: some form of every query term is a term of the text. */
function matches(text: string, query: string, languages: readonly ('en' | 'es' | 'de' | 'ru')[] = ['en']): boolean {
  const { counts } = analyse(text)
  const asked = analyseQuery(query, languages).terms.filter((term) => !term.soft)
  return asked.length > 0 && asked.every((term) => term.forms.some((form) => counts.has(form)))
}

test('inflected words meet in one stem, irregular English forms too', { timeout }, () => {
  assert.ok(matches('We were researching adoption agencies', 'research adoption agency'))
  assert.ok(matches('She went hiking and bought two knives', 'go hike buy knife'))
  assert.ok(!matches('a new policy', 'police'))
})

test('case, diacritics and compatibility forms do not matter, й and и do', { timeout }, () => {
  assert.ok(matches('Café Ärger Straße ﬁle ＡＢＣ', 'cafe arger strasse file abc'))
  assert.ok(matches('Ёлка стоит', 'елка'))
  assert.ok(!matches('мой', 'мои'))
  assert.ok(matches('Ångström Łódź Ørsted', 'angstrom lodz orsted'))
})

test('an identifier is found whole and by its parts', { timeout }, () => {
  assert.ok(terms('Ticket POL-358 is blocked').includes('pol358'))
  for (const query of ['POL-358', 'pol358', 'POL', '358']) assert.ok(matches('Ticket POL-358 is blocked', query), query)
  for (const query of ['getUserName', 'user name', 'getusername'])
    assert.ok(matches('call getUserName() first', query), query)
  for (const query of ['src/search/text-index.ts', 'text-index.ts', 'search index']) {
    assert.ok(matches('see src/search/text-index.ts, line 9', query), query)
  }
  for (const query of ['ERR_MODULE_NOT_FOUND', 'module found'])
    assert.ok(matches('ERR_MODULE_NOT_FOUND again', query), query)
  assert.ok(matches('moved to v1.24.3 today', 'v1.24.3'))
  assert.ok(matches('id 550e8400-e29b-41d4-a716-446655440000', '550E8400-E29B-41D4-A716-446655440000'))
  assert.ok(matches('I write C++ and C#', 'c++') && !matches('vitamin C', 'c++'))
})

test('apostrophes separate grammar from names', { timeout }, () => {
  assert.ok(matches("Caroline's necklace", 'caroline necklace'))
  assert.ok(matches("l'ordinateur", 'ordinateur'))
  assert.deepEqual(terms("don't"), [])
})

test(
  'running text of scripts without spaces is indexed in pairs, and one character begins some term',
  { timeout },
  () => {
    assert.ok(terms('今天讨论了部署方案').includes('部署'))
    assert.ok(terms('오늘 끝말잇기 게임을 했다').includes('끝말'))
    assert.ok(terms('Redisの設定').includes('redi') && terms('Redisの設定').includes('設定'))
    assert.deepEqual(
      analyseQuery('天', []).terms.map((term) => [term.forms, term.prefix]),
      [[['天'], true]],
    )
  },
)

test('a language is told by its stop words, and English is assumed when nothing tells', { timeout }, () => {
  const languages = {
    en: 'The deployment was moved because of the weather',
    es: 'El equipo decidió que los niños no van a la escuela',
    de: 'Wir haben die Häuser an der Straße nicht gesehen',
    fr: 'Nous avons choisi un fournisseur pour les livraisons',
    pt: 'A equipe decidiu que não vai mudar para o novo escritório',
    it: 'Abbiamo deciso che il progetto non è ancora pronto',
    nl: 'Wij hebben het nieuwe kantoor nog niet gezien',
    sv: 'Vi har inte sett det nya kontoret än och jag är trött',
    ru: 'Мы обсуждали развёртывание на сервере',
  }
  for (const [language, text] of Object.entries(languages)) assert.equal(analyse(text).language, language, text)
  assert.equal(analyse('Berlin Lisbon 42').language, 'en')
})

test('a query is found whatever language it is taken for', { timeout }, () => {
  assert.ok(matches('El equipo decidió que los niños hablaban con los gatos', 'gato', ['en', 'es']))
  assert.ok(matches('El equipo decidió que los niños hablaban con los gatos', 'hablando niño', ['es']))
  assert.ok(matches('Wir haben die Häuser nicht gesehen', 'Haus', ['de']))
  assert.ok(matches('Гуляли с собаками в парке', 'собака', ['ru']))
})

test('stop words are kept apart from terms', { timeout }, () => {
  const { terms: asked, stopWords } = analyseQuery('to be or not to be', ['en'])
  assert.deepEqual(asked, [])
  assert.deepEqual(stopWords, ['to', 'be', 'or', 'not', 'to', 'be'])
})

test(
  'no text makes the analyser fail, and terms hold nothing that FTS5 could cut or read as syntax',
  { timeout },
  () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
    )
    fc.assert(
      fc.property(text, (input) => {
        for (const term of analyse(input).counts.keys()) {
          assert.ok(term.isWellFormed() && term.length > 0 && !/[\s\0"'()*^,;-]/.test(term), JSON.stringify(term))
        }
        analyseQuery(input, ['en', 'de'])
      }),
      { numRuns: 500 },
    )
  },
)

test('every term of a text is looked for by a query of that same text', { timeout }, () => {
  const word = fc.constantFrom(
    'deploy',
    'Häuser',
    'POL-358',
    'getUserName',
    '部署方案',
    'собаками',
    '게임을',
    'a/b.ts',
    'x',
    '2024-05-01',
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      const text = words.join(' ')
      assert.ok(matches(text, text, ['en', 'de', 'ru']), text)
    }),
    { numRuns: 300 },
  )
})

test('a text of 50,000 characters is analysed in bounded time, whatever it is made of', { timeout }, () => {
  const texts = [
    'word '.repeat(10_000),
    'a'.repeat(50_000),
    'aB'.repeat(25_000),
    'a.'.repeat(25_000),
    '部'.repeat(50_000),
    "a'".repeat(25_000),
  ]
  for (const text of texts) {
    const started = process.cpuUsage()
    analyse(text)
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 2_000_000, `${text.slice(0, 4)}… took ${user + system} µs`)
  }
})

test('a word that only frames a question counts less, "done" among them', { timeout }, () => {
  const weights = analyseQuery('what has Ana done with the parcel', []).terms.map(({ forms, weight }) => [
    forms[0],
    weight,
  ])
  assert.deepEqual(weights, [
    ['ana', 1],
    ['do', 0.5],
    ['parcel', 1],
  ])
})
