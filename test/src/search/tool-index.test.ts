import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createToolIndex } from '../../../src/search/tool-index.ts'
import type { ToolDocument } from '../../../src/search/tool-fields.ts'
import type { ToolIndex } from '../../../src/search/tool-index.ts'
import type { AskedQuestion } from '../../fixtures/surface-questions/index.ts'
import {
  askedQuestions,
  chatQuestions,
  connectedDocuments,
  describedSituations,
  hintedQuestions,
  paraphrasedQuestions,
  plainQuestions,
  surfaceDocuments,
  talkedQuestions,
} from '../../fixtures/surface-questions/index.ts'

const timeout = 60_000

const SHOWN = 5

const documents = surfaceDocuments()
const connected = connectedDocuments()
const index = createToolIndex(documents)
const connectedIndex = createToolIndex(connected)

interface Asked {
  readonly what: string
  readonly of: ToolIndex
  readonly questions: readonly AskedQuestion[]
  /** Share of those that were tuned with whose tool has to be among those shown: what was reached, less what chance may take. */
  readonly hitMin: number
}

const questions = askedQuestions()
const kinds: readonly Asked[] = [
  { what: 'questions', of: index, questions, hitMin: 0.94 },
  { what: 'situations', of: index, questions: describedSituations(), hitMin: 0.88 },
  { what: 'talk', of: connectedIndex, questions: talkedQuestions(), hitMin: 0.93 },
  { what: 'paraphrases', of: connectedIndex, questions: paraphrasedQuestions(), hitMin: 0.9 },
  { what: 'chat questions', of: connectedIndex, questions: chatQuestions(), hitMin: 0.88 },
  { what: 'hints', of: connectedIndex, questions: hintedQuestions(), hitMin: 0.52 },
  { what: 'plain questions', of: connectedIndex, questions: plainQuestions(), hitMin: 0.93 },
]
/** Of all the others together. */
const HELD_OUT_HIT_MIN = 0.85

function tool(key: string, words: Partial<ToolDocument> = {}): ToolDocument {
  return { key, name: key, category: '', summary: '', description: '', parameters: [], ...words }
}

function keysOf(query: string, limit = SHOWN): string[] {
  return index.search(query, limit).map(({ key }) => key)
}

function hitsOf({ of, questions: asked }: Pick<Asked, 'of' | 'questions'>): number {
  return asked.filter(({ text, keys }) => of.search(text, SHOWN).some(({ key }) => keys.includes(key))).length
}

test('every question names tools that exist', { timeout }, () => {
  const known = new Set([...documents, ...connected].map(({ key }) => key))
  const all = kinds.flatMap(({ questions: asked }) => asked)
  assert.deepEqual(
    all.filter(({ keys }) => keys.some((key) => !known.has(key))),
    [],
  )
})

for (const { what, of, questions: asked, hitMin } of kinds) {
  test(`the right tool is among ${SHOWN} for ${hitMin} of the ${what} that were tuned with`, { timeout }, () => {
    assert.equal(new Set(asked.map(({ text }) => text)).size, asked.length)
    const tuned = asked.filter(({ heldOut }) => !heldOut)
    const share = hitsOf({ of, questions: tuned }) / tuned.length
    assert.ok(share >= hitMin, share.toFixed(3))
  })
}

test(`the right tool is among ${SHOWN} for ${HELD_OUT_HIT_MIN} of all that nobody tuned with`, { timeout }, () => {
  const heldOut = kinds.map((kind) => ({ ...kind, questions: kind.questions.filter((one) => one.heldOut) }))
  const asked = heldOut.reduce((sum, one) => sum + one.questions.length, 0)
  const share = heldOut.reduce((sum, one) => sum + hitsOf(one), 0) / asked
  assert.ok(asked > 500, `only ${asked} questions`)
  assert.ok(share >= HELD_OUT_HIT_MIN, share.toFixed(3))
})

test('a tool is first when it is asked for by its name', { timeout }, () => {
  const names = new Map(documents.map(({ key, name }) => [key, name]))
  const wrong = documents.filter(({ name }) => names.get(keysOf(name)[0] ?? '') !== name)
  assert.deepEqual(
    wrong.map(({ name }) => `${name}: ${keysOf(name, 2).join(' ')}`),
    [],
  )
})

test('the words of a name are found however it joins them', { timeout }, () => {
  for (const name of ['sendInvoice', 'send_invoice', 'SEND-INVOICE', 'billing.sendInvoice', 'SendInvoiceV2']) {
    const found = createToolIndex([tool(name), tool('list_tables')]).search('send an invoice', 1)
    assert.equal(found[0]?.key, name)
  }
})

test('a word counts more in the name than in the summary, there more than in what follows', { timeout }, () => {
  const found = createToolIndex([
    tool('a', { description: 'Reads the barometer of the boat' }),
    tool('b', { summary: 'Read the barometer' }),
    tool('read_barometer'),
    tool('c', { description: 'Something else' }),
  ]).search('barometer', 5)
  assert.deepEqual(
    found.map(({ key }) => key),
    ['read_barometer', 'b', 'a'],
  )
})

test('a tool is found by what the others of its category say of it', { timeout }, () => {
  const category = 'ledger'
  const found = createToolIndex([
    tool('add_entry', { category, description: 'Add to the barometer book' }),
    tool('list_entries', { category, description: 'List the barometer book' }),
    tool('totals', { category }),
    tool('count_sheep', { category: 'farm' }),
  ]).search('barometer', 5)
  assert.deepEqual(
    found.map(({ key }) => key),
    ['add_entry', 'list_entries', 'totals'],
  )
})

test('parameters and their values are found', { timeout }, () => {
  const small = createToolIndex([
    tool('a', { parameters: [{ name: 'dueDate', description: '', values: [] }] }),
    tool('b', { parameters: [{ name: 'shape', description: '', values: ['hexagon', 'circle'] }] }),
    tool('c', { parameters: [{ name: 'x', description: 'Height above the harbour', values: [] }] }),
  ])
  assert.equal(small.search('due date', 1)[0]?.key, 'a')
  assert.equal(small.search('a hexagon', 1)[0]?.key, 'b')
  assert.equal(small.search('harbour', 1)[0]?.key, 'c')
})

test('the order of the documents changes nothing', { timeout }, () => {
  const turned = createToolIndex(documents.toReversed())
  for (const { text } of questions) assert.deepEqual(turned.search(text, 20), index.search(text, 20))
})

test('equal scores are ordered by key', { timeout }, () => {
  const alike = ['c', 'a', 'b'].map((key) => tool(key, { name: 'open_gate' }))
  assert.deepEqual(
    createToolIndex(alike)
      .search('gate', 5)
      .map(({ key }) => key),
    ['a', 'b', 'c'],
  )
})

test('nothing asked finds nothing', { timeout }, () => {
  for (const query of ['', '   ', '?!', '\0', '🦜', '\ud800', 'zzqxv wqzzk'])
    assert.deepEqual(index.search(query, 5), [])
  assert.deepEqual(createToolIndex([]).search('anything at all', 5), [])
})

test('the limit is kept, and none is no answer', { timeout }, () => {
  assert.equal(index.search('list', 3).length, 3)
  for (const limit of [0, -1, Number.NaN]) assert.deepEqual(index.search('list', limit), [])
})

test('common words alone are looked for as they are', { timeout }, () => {
  const small = createToolIndex([tool('who_am_i'), tool('list_tables')])
  assert.equal(small.search('am i', 1)[0]?.key, 'who_am_i')
})

test('slips and unfinished words are forgiven', { timeout }, () => {
  const small = createToolIndex(['send_invoice', 'list_repositories', 'open_barometer'].map((key) => tool(key)))
  for (const [query, key] of [
    ['invoce', 'send_invoice'],
    ['ivnoice', 'send_invoice'],
    ['reposotries', 'list_repositories'],
    ['barometre', 'open_barometer'],
    ['baro', 'open_barometer'],
    ['repositor', 'list_repositories'],
  ] as const) {
    assert.equal(small.search(query, 1)[0]?.key, key, query)
  }
  assert.deepEqual(small.search('sand', 5), [], 'short words are not corrected')
})

test('a verb and its particle are one, wherever the particle stands', { timeout }, () => {
  assert.equal(keysOf('turn the lights in the hall off')[0], 'homeassistant/turn_off')
  assert.equal(keysOf('switch the lights in the hall on')[0], 'homeassistant/turn_on')
})

test('what files and addresses are called says nothing of the deed', { timeout }, () => {
  const small = createToolIndex(['edit_file', 'delete_invoice', 'publish_post'].map((key) => tool(key)))
  assert.equal(small.search('replace foo by bar in delete-invoice.md', 1)[0]?.key, 'edit_file')
})

test('a refusal is no request: what must not be forgotten is kept', { timeout }, () => {
  for (const text of ["don't forget that I am allergic to nuts", 'never forget my birthday'])
    assert.ok(keysOf(text, 3).includes('crow_store_memory'), text)
})

test('of tools for one thing those come first that answer as it was asked', { timeout }, () => {
  const small = createToolIndex(['barge_stats', 'list_barges', 'search_barges', 'get_barge'].map((key) => tool(key)))
  assert.equal(small.search('how many barges are there', 1)[0]?.key, 'barge_stats')
  assert.equal(small.search('barges with a red hull, any that mention rust', 1)[0]?.key, 'search_barges')
  assert.equal(small.search('full details of this barge', 1)[0]?.key, 'get_barge')
})

test('settings are no form of a set', { timeout }, () => {
  const small = createToolIndex([tool('mail_settings'), tool('get_set'), tool('list_tables')])
  assert.equal(small.search('show the set', 1)[0]?.key, 'get_set')
  assert.equal(small.search('change a setting', 1)[0]?.key, 'mail_settings')
})

test('who asks for an answer is not offered to destroy', { timeout }, () => {
  assert.equal(keysOf('which memories do I have')[0], 'crow_list_memories')
  assert.equal(keysOf('erase a memory')[0], 'crow_delete_memory')
})

test('questions and tools in other languages do not fail', { timeout }, () => {
  assert.ok(keysOf('borra el recuerdo').includes('crow_delete_memory'))
  assert.ok(keysOf('¿Qué archivos hay?').includes('crow_list_files'))
  assert.ok(keysOf('lösche die Datei').includes('crow_delete_file'))
  const spanish = createToolIndex([
    tool('enviar_factura', { description: 'Envía una factura a un cliente por correo' }),
    tool('borrar_nota', { description: 'Borra una nota de las que hay guardadas' }),
  ])
  assert.equal(spanish.search('borrar las notas', 1)[0]?.key, 'borrar_nota')
  assert.equal(spanish.search('mandar facturas', 1)[0]?.key, 'enviar_factura')
  const others = createToolIndex([tool('送信', { description: '請求書を送信します' }), tool('отправить_счет')])
  assert.equal(others.search('счет', 1)[0]?.key, 'отправить_счет')
  assert.equal(others.search('送信', 1)[0]?.key, '送信')
})

test('of a long question the beginning is read', { timeout }, () => {
  const start = 'erase a memory '.repeat(200).slice(0, 1000)
  assert.deepEqual(index.search(`${start} ${'publish my post '.repeat(500)}`, 5), index.search(start, 5))
  assert.ok(Array.isArray(index.search('x'.repeat(10_000), 5)))
})

test('of a long tool the beginning is read', { timeout }, () => {
  const long = createToolIndex([tool('a', { description: `${'word '.repeat(100_000)} barometer` }), tool('b')])
  assert.deepEqual(long.search('barometer', 5), [])
})

test('any text has an answer in falling order, the same each time', { timeout }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (query) => {
      const found = index.search(query, 50)
      assert.deepEqual(index.search(query, 50), found)
      found.forEach(({ score }, place) => {
        assert.ok(Number.isFinite(score) && score > 0)
        assert.ok(score <= (found[place - 1]?.score ?? Infinity))
      })
    }),
    { numRuns: 300 },
  )
})

test('any documents make an index', { timeout }, () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const parameter = fc.record({ name: text, description: text, values: fc.array(text, { maxLength: 3 }) })
  const anyTool = fc.record({
    key: text,
    name: text,
    category: text,
    summary: text,
    description: text,
    parameters: fc.array(parameter, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(anyTool, { maxLength: 6 }), (tools) => {
      const made = createToolIndex(tools)
      for (const { name, description } of tools) made.search(`${name} ${description}`, 5)
    }),
    { numRuns: 200 },
  )
})
