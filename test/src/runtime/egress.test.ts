import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { compileCatalog, type Catalog } from '../../../src/runtime/catalog.ts'
import { cutAt } from '../../../src/runtime/guards/egress-budget.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { fault } from '../../../src/runtime/fault.ts'
import { reply, type ContentBlock, type Reply } from '../../../src/runtime/reply.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, owner, readTool, replyOf, serve, textOf } from './fixture.ts'

const BUDGET = 50_000
const big = (handle: () => object | string, egressBytesMax = BUDGET) =>
  serve([readTool('big', { limits: { egressBytesMax }, handle })])

/** What the budget counts: content as it is written inside JSON. */
function bytesOf(one: Reply): number {
  const blocks = one.content.reduce((sum, block) => sum + payloadBytes(block), 0)
  return blocks + (one.structuredContent === undefined ? 0 : Buffer.byteLength(JSON.stringify(one.structuredContent)))
}

function payloadBytes(block: ContentBlock): number {
  if (block.type === 'text') return Buffer.byteLength(JSON.stringify(block.text)) - 2
  return 'data' in block ? block.data.length + block.mimeType.length : Buffer.byteLength(JSON.stringify(block))
}

const textsOf = (one: Reply) => one.content.map((block) => (block.type === 'text' ? block.text : ''))
const cursorOf = (one: Reply) => /"more": "([^"]+)"/.exec(textsOf(one).at(-1) ?? '')?.[1]

/** Reads everything: the texts of all pages in order, without the notices. */
async function readAll(catalog: Catalog, first: Reply, budget = BUDGET): Promise<string> {
  let page = first
  let text = ''
  for (let pages = 0; pages < 2000; pages++) {
    assert.ok(bytesOf(page) <= budget, `page ${pages} has ${bytesOf(page)} bytes`)
    assert.equal(page.isError, first.isError)
    const more = cursorOf(page)
    text += (more === undefined ? textsOf(page) : textsOf(page).slice(0, -1)).join('')
    if (more === undefined) return text
    page = replyOf(await call(catalog, 'big', { more }))
  }
  return assert.fail('the pages never end')
}

test('a reply below the budget is untouched to the byte', { timeout: 5000 }, async () => {
  const text = 'x'.repeat(49_990)
  assert.deepEqual(
    replyOf(
      await call(
        big(() => text),
        'big',
      ),
    ),
    { content: [{ type: 'text', text }] },
  )
})

test(
  'rockets over the budget are cut between characters, and the pages add up to the original',
  { timeout: 10_000 },
  async () => {
    const text = '🚀'.repeat(20_000)
    const catalog = big(() => text)
    const first = replyOf(await call(catalog, 'big'))
    assert.ok(textsOf(first).every((piece) => piece.isWellFormed()))
    assert.match(textsOf(first).at(-1) ?? '', /Cut here: \d+ more characters/)
    assert.equal(await readAll(catalog, first), text)
  },
)

test('a cut never falls inside a code point and never exceeds the budget', { timeout: 5000 }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(60), (text, budget) => {
      const well = text.toWellFormed()
      const end = cutAt(well, 0, budget)
      const piece = well.slice(0, end)
      assert.ok(piece.isWellFormed())
      assert.ok(Buffer.byteLength(JSON.stringify(piece)) - 2 <= budget)
      const wider = well.slice(0, end + ((well.codePointAt(end) ?? 0) > 0xffff ? 2 : 1))
      assert.ok(
        end === well.length || Buffer.byteLength(JSON.stringify(wider)) - 2 > budget,
        'the cut could have been later',
      )
    }),
    { numRuns: 2000 },
  )
})

test('any text, however it escapes, comes back whole over pages within the budget', { timeout: 30_000 }, async () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '漢', '🚀', '\u2028')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 1500 })), { minLength: 1, maxLength: 12 }),
      async (runs) => {
        const text = runs.map(([one, count]) => one.repeat(count)).join('')
        const catalog = big(() => text, 1500)
        assert.equal(await readAll(catalog, replyOf(await call(catalog, 'big')), 1500), text)
      },
    ),
    { numRuns: 60 },
  )
})

test(
  '31 MB of text: the first page is small, all of it can be read, and little memory is taken',
  { timeout: 30_000 },
  async () => {
    const size = 31_000_000
    const catalog = big(() => 'abcdefghij'.repeat(size / 10))
    const before = process.memoryUsage()
    const first = replyOf(await call(catalog, 'big'))
    const after = process.memoryUsage()
    const grown = after.heapUsed + after.external - before.heapUsed - before.external
    assert.ok(grown < 4 * size, `grew by ${grown} bytes`)
    assert.ok(bytesOf(first) <= BUDGET)
    assert.equal((await readAll(catalog, first)).length, size)
  },
)

test(
  '100 KB of structured content in a 2 KB budget is dropped whole, and its JSON can be read on exactly',
  { timeout: 10_000 },
  async () => {
    const data = { items: Array.from({ length: 4000 }, (_, index) => ({ id: index, name: `ítem ${index} 🚀` })) }
    const json = JSON.stringify(data)
    assert.ok(json.length > 100_000)
    const tool = defineTool({
      name: 'big',
      summary: 'Big.',
      description: 'Big.',
      effect: 'read',
      limits: { egressBytesMax: 2048 },
      output: Type.Object({ items: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })) }),
      handle: () => data,
    })
    const catalog = big(() => reply.ready({ content: [], structuredContent: data }), 2048)
    const first = replyOf(await call(catalog, 'big'))
    assert.equal(first.structuredContent, undefined)
    assert.equal(first.isError, undefined)
    assert.equal(await readAll(catalog, first, 2048), json)
    // Who declares structured content has promised it: a reply without it is a fault.
    const refused = await call(serve([tool]), 'big')
    assert.equal(codeOf(refused), 'VALIDATION_ERROR')
    assert.equal(replyOf(refused).isError, true)
    assert.match(textOf(refused), /crow_big ran, but [^]*Ask for less/)
  },
)

test('structured content that fits alone is kept whole while the text is cut', { timeout: 5000 }, async () => {
  const structuredContent = { answer: 'yes' }
  const catalog = big(
    () => reply.ready({ content: [{ type: 'text', text: 'y'.repeat(9000) }], structuredContent }),
    4096,
  )
  const first = replyOf(await call(catalog, 'big'))
  assert.deepEqual(first.structuredContent, structuredContent)
  assert.equal(await readAll(catalog, first, 4096), 'y'.repeat(9000))
})

test('an error stays an error, a success stays a success', { timeout: 5000 }, async () => {
  const text = 'e'.repeat(1_000_000)
  const catalog = big(() => reply.ready({ content: [{ type: 'text', text }], isError: true }))
  const first = replyOf(await call(catalog, 'big'))
  assert.equal(first.isError, true)
  assert.equal(await readAll(catalog, first), text)
})

test('images count; one that fits travels whole, a larger one can be read on as JSON', { timeout: 5000 }, async () => {
  const small = reply.image('A'.repeat(500), 'image/png')
  const large = reply.image('B'.repeat(9000), 'image/png')
  const catalog = big(() => reply.blocks({ type: 'text', text: 'look' }, small, large), 2048)
  const first = replyOf(await call(catalog, 'big'))
  assert.deepEqual(first.content.slice(0, 2), [{ type: 'text', text: 'look' }, small])
  assert.ok(bytesOf(first) <= 2048)
  const rest = await readAll(catalog, { content: first.content.slice(2) }, 2048)
  assert.equal(rest, JSON.stringify(large))
})

test(
  'a cursor can be read twice, by its caller only, for its tool only, for a while only',
  { timeout: 5000 },
  async () => {
    let now = 1_000_000
    const tools = [
      readTool('big', { limits: { egressBytesMax: 1024 }, handle: () => 'z'.repeat(5000) }),
      readTool('other'),
    ]
    const catalog = serve(tools, { clock: { now: () => now } })
    const more = cursorOf(replyOf(await call(catalog, 'big')))
    assert.ok(more !== undefined)
    const once = await call(catalog, 'big', { more, id: null })
    assert.deepEqual(await call(catalog, 'big', { more }), once)
    const stranger: Caller = { ...owner, id: 'stranger' }
    for (const refused of [
      await call(catalog, 'big', { more }, { caller: stranger }),
      await call(catalog, 'other', { more }),
      await call(catalog, 'big', { more: `${more}9999999` }),
      await call(catalog, 'big', { more: 'nonsense' }),
    ])
      assert.equal(codeOf(refused), 'NOT_FOUND')
    assert.equal(codeOf(await call(catalog, 'big', { more: 5 })), 'VALIDATION_ERROR')
    now += 11 * 60_000
    assert.equal(codeOf(await call(catalog, 'big', { more })), 'NOT_FOUND')
    assert.deepEqual([catalog.stats().rests, catalog.stats().restBytes], [0, 0])
  },
)

test('what is kept is bounded per caller and in total, the oldest making room', { timeout: 5000 }, async () => {
  const tool = readTool('big', {
    limits: { egressBytesMax: 1024 },
    handle: (input) => 'q'.repeat(Number(Reflect.get(input, 'id'))),
  })
  const catalog = serve([tool], { rests: { callerBytesMax: 10_000, bytesMax: 15_000 } })
  const first = cursorOf(replyOf(await call(catalog, 'big', { id: 6000 })))
  await call(catalog, 'big', { id: 6000 })
  assert.equal(codeOf(await call(catalog, 'big', { more: first })), 'NOT_FOUND')
  for (const id of ['b', 'c', 'd']) await call(catalog, 'big', { id: 6000 }, { caller: { ...owner, id } })
  assert.ok(catalog.stats().restBytes <= 15_000)
  const huge = replyOf(await call(catalog, 'big', { id: 40_000 }))
  assert.match(textsOf(huge).at(-1) ?? '', /too many to keep/)
})

const long = (): string => 'x'.repeat(150_000)

test(
  'what reads, or says how large its replies are, shows the parameter that a cut reply asks for',
  { timeout: 5000 },
  async () => {
    const limits = { egressBytesMax: 4096 }
    const catalog = serve([
      readTool('big', { handle: long }),
      readTool('sized', { effect: 'write', limits, handle: long }),
      readTool('writes', { effect: 'write' }),
    ])
    const shown = catalog.listTools('shop', owner).filter((tool) => JSON.stringify(tool.inputSchema).includes('"more"'))
    assert.deepEqual(
      shown.map((tool) => tool.name),
      ['crow_big', 'crow_sized'],
    )
    const first = replyOf(await call(catalog, 'big'))
    assert.notEqual(cursorOf(first), undefined)
    assert.equal(await readAll(catalog, first, 100_000), long())
  },
)

test('what is kept belongs to the server of its tool as well', { timeout: 5000 }, async () => {
  const tool = readTool('big', { limits: { egressBytesMax: 1024 }, handle: () => 'x'.repeat(3000) })
  const servers = ['shop', 'mall'].map((id) => defineServer({ id, summary: id, tools: [tool] }))
  const catalog = compileCatalog(servers)
  const more = cursorOf(replyOf(await call(catalog, 'big')))
  assert.equal(codeOf(await call(catalog, 'big', { more }, { server: 'mall' })), 'NOT_FOUND')
  assert.equal(codeOf(await call(catalog, 'big', { more })), undefined)
})

test('a fault counts as well, and stays a fault', { timeout: 5000 }, async () => {
  const catalog = big(() => fault('CONFLICT', 'm'.repeat(9000)), 2048)
  const first = replyOf(await call(catalog, 'big'))
  assert.equal(first.isError, true)
  assert.match(
    await readAll(catalog, first, 2048),
    /^<tool_error code="CONFLICT">\n<message>m{9000}<\/message>[^]*<\/tool_error>$/,
  )
})
