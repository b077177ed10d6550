import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stem } from '../../../src/search/stems.ts'

const timeout = 20_000

/** Words with their Porter2 stem, as the algorithm's own page lists them. */
const PORTER2: Readonly<Record<string, string>> = {
  consign: 'consign',
  consigned: 'consign',
  consigning: 'consign',
  consignment: 'consign',
  consistency: 'consist',
  consistently: 'consist',
  consolation: 'consol',
  consolatory: 'consolatori',
  conspicuous: 'conspicu',
  conspiracy: 'conspiraci',
  knack: 'knack',
  knaves: 'knave',
  kneeling: 'kneel',
  knightly: 'knight',
  knocking: 'knock',
  generously: 'generous',
  dying: 'die',
  skies: 'sky',
  hopping: 'hop',
  hoping: 'hope',
  relational: 'relat',
  vietnamization: 'vietnam',
  succeed: 'succeed',
}

test('English follows Porter2', { timeout }, () => {
  for (const [word, expected] of Object.entries(PORTER2)) assert.equal(stem(word, 'en'), expected, word)
})

test('forms of one word share a stem in each language', { timeout }, () => {
  const families = {
    en: ['go went gone going goes', 'buy bought buying', 'child children', 'run running ran'],
    es: ['hablar hablando hablaron', 'gato gatos gata', 'organizacion organizaciones', 'reunion reuniones'],
    de: ['haus hauser', 'rechnung rechnungen', 'freundlich freundliche freundlichen'],
    fr: ['livraison livraisons', 'livrer livrera livrait', 'fournisseur fournisseurs'],
    pt: ['cidade cidades', 'falando falar falaram', 'organizacao organizacoes'],
    it: ['riunione riunioni', 'parlare parlando parlato', 'azienda aziende'],
    nl: ['huizen huis', 'rekening rekeningen', 'lopen loop'],
    sv: ['flicka flickor flickan', 'kund kunder kunden'],
    ru: ['собака собаками собаки', 'сервер сервера серверов', 'обсуждать обсуждали'],
  } as const
  for (const language of ['en', 'es', 'de', 'fr', 'pt', 'it', 'nl', 'sv', 'ru'] as const) {
    for (const family of families[language]) {
      const stems = new Set(family.split(' ').map((word) => stem(word, language)))
      assert.equal(stems.size, 1, `${language}: ${family} → ${[...stems].join(' ')}`)
    }
  }
})

test('words with digits, short words and words of other scripts stay as they are', { timeout }, () => {
  for (const word of ['v1', 'e0382', 'ok', '部署', 'สวัสดี', 'नमस्ते', 'src/search']) assert.equal(stem(word, 'en'), word)
})

test('no word becomes empty or longer, in any language', { timeout }, () => {
  const letters = fc.string({
    unit: fc.constantFrom(...'a b c d e g h i l m n o r s t u v y з'.split(' ')),
    minLength: 1,
    maxLength: 20,
  })
  const language = fc.constantFrom('en', 'es', 'de', 'fr', 'pt', 'it', 'nl', 'sv', 'ru')
  fc.assert(
    fc.property(letters, language, (word, one) => {
      const stemmed = stem(word, one)
      assert.ok(stemmed.length > 0 && stemmed.length <= word.length + 2, `${one} ${word} → ${stemmed}`)
    }),
    { numRuns: 2000 },
  )
})
