import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createToolIndex } from '../../../src/search/tool-index.ts'
import type { ToolDocument } from '../../../src/search/tool-fields.ts'
import type { AskedQuestion } from '../../fixtures/surface-questions/index.ts'
import { askedQuestions, describedSituations, surfaceDocuments } from '../../fixtures/surface-questions/index.ts'

const timeout = 60_000

const HIT_MIN = 0.85
/** Where a situation is told instead, words alone find less; this only keeps what was reached. */
const SITUATION_HIT_MIN = 0.68
const SHOWN = 5

const documents = surfaceDocuments()
const index = createToolIndex(documents)
const questions = askedQuestions()
const situations = describedSituations()

function tool(key: string, words: Partial<ToolDocument> = {}): ToolDocument {
  return { key, name: key, category: '', summary: '', description: '', parameters: [], ...words }
}

function keysOf(query: string, limit = SHOWN): string[] {
  return index.search(query, limit).map(({ key }) => key)
}

/** The share of the held-out questions that find one of their tools. */
function hitShare(asked: readonly AskedQuestion[]): number {
  const heldOut = asked.filter((question) => question.heldOut)
  assert.ok(heldOut.length > 100, `only ${heldOut.length} questions`)
  return heldOut.filter(({ text, keys }) => keysOf(text).some((key) => keys.includes(key))).length / heldOut.length
}

test('every question names tools that exist', { timeout }, () => {
  const known = new Set(documents.map(({ key }) => key))
  const all = [...questions, ...situations]
  assert.deepEqual(
    all.filter(({ keys }) => keys.some((key) => !known.has(key))),
    [],
  )
  assert.equal(new Set(all.map(({ text }) => text)).size, all.length)
})

test(`the right tool is among ${SHOWN} for ${HIT_MIN} of the questions nobody tuned with`, { timeout }, () => {
  const share = hitShare(questions)
  assert.ok(share >= HIT_MIN, share.toFixed(3))
})

test(
  `the right tool is among ${SHOWN} for ${SITUATION_HIT_MIN} of the situations nobody tuned with`,
  { timeout },
  () => {
    const share = hitShare(situations)
    assert.ok(share >= SITUATION_HIT_MIN, share.toFixed(3))
  },
)

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
