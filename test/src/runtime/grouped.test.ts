import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import type { CatalogOptions } from '../../../src/runtime/catalog.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import type { EndEvent } from '../../../src/runtime/observe.ts'
import type { ToolSource } from '../../../src/runtime/source.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, owner, readTool, replyOf, serve, textOf } from './fixture.ts'

const close = defineTool({
  name: 'close',
  summary: 'Closes a ticket.',
  description: 'Closes.',
  effect: 'destroy',
  group: ['support', 'tickets'],
  input: Type.Object({ id: Type.Integer() }),
  preview: ({ id }) => ({ text: `Ticket ${id}`, version: 1 }),
  handle: ({ id }) => `closed ${id}`,
})
const invoice = readTool('billing.get_invoice')
const desk = (options: CatalogOptions = {}) => serve([close, invoice, readTool('ping')], options, { grouped: true })

test('a grouped server is one tool whose schema names every action', { timeout: 5000 }, () => {
  const tools = desk().listTools('shop', owner)
  assert.equal(tools.length, 1)
  const [tool] = tools
  assert.equal(tool?.name, 'crow_shop')
  assert.deepEqual(Reflect.get(Object(tool?.inputSchema['properties']), 'action').enum, [
    'billing.get_invoice',
    'ping',
    'support.tickets.close',
  ])
  assert.match(tool?.description ?? '', /- support\.tickets\.close\(id: integer\): Closes a ticket\./)
  assert.deepEqual(tool?.annotations, { readOnlyHint: false, destructiveHint: true, openWorldHint: false })
})

test('actions are reached by group and name; on a direct mount by a flat public name', { timeout: 5000 }, async () => {
  const open = desk({ confirm: 'off' })
  const act = async (action: string, params: object = {}) => textOf(await call(open, 'crow_shop', { action, params }))
  assert.equal(await act('billing.get_invoice'), 'billing.get_invoice')
  assert.equal(await act('support.tickets.close', { id: 5 }), 'closed 5')
  const flat = serve([close, invoice], { confirm: 'off' })
  assert.equal(textOf(await call(flat, 'crow_support_tickets_close', { id: 6 })), 'closed 6')
  assert.equal(textOf(await call(flat, 'billing.get_invoice')), 'billing.get_invoice')
})

test(
  'a missing, mistyped or unknown action has its own code, the actions, a recovery and nothing secret',
  { timeout: 5000 },
  async () => {
    const catalog = desk()
    const cases: [unknown, string][] = [
      [{}, 'MISSING_DISCRIMINATOR'],
      [null, 'MISSING_DISCRIMINATOR'],
      [{ action: null }, 'MISSING_DISCRIMINATOR'],
      [{ action: 5 }, 'INVALID_DISCRIMINATOR'],
      [{ action: ['ping'] }, 'INVALID_DISCRIMINATOR'],
      [{ action: 'pong' }, 'UNKNOWN_ACTION'],
      [{ action: '__proto__' }, 'UNKNOWN_ACTION'],
      [{ action: 'x'.repeat(100_000) }, 'UNKNOWN_ACTION'],
      [[], 'VALIDATION_ERROR'],
    ]
    for (const [params, code] of cases) {
      const outcome = await call(catalog, 'crow_shop', params)
      const text = textOf(outcome)
      assert.equal(codeOf(outcome), code)
      assert.equal(replyOf(outcome).isError, true)
      assert.match(text, /<recovery>.{10,}<\/recovery>/)
      assert.match(text, /<available_actions>billing\.get_invoice, ping, support\.tickets\.close<\/available_actions>/)
      assert.doesNotMatch(text, /\bat \S+:\d+|node_modules|\.ts\b/)
      assert.ok(text.length < 1000)
    }
    assert.match(textOf(await call(catalog, 'crow_shop', { action: 'pong' })), /Did you mean ping\?/)
  },
)

test(
  'extra keys, wrong types and unknown fields inside params are found as on a direct mount',
  { timeout: 5000 },
  async () => {
    const catalog = desk()
    assert.match(
      textOf(await call(catalog, 'crow_shop', { action: 'support.tickets.close', id: 5 })),
      /id: is not a field beside action and params; put it into params/,
    )
    assert.match(textOf(await call(catalog, 'crow_shop', { action: 'ping', parms: {} })), /did you mean params\?/)
    assert.match(
      textOf(await call(catalog, 'crow_shop', { action: 'support.tickets.close', params: { idd: 5 } })),
      /idd: is not a field; did you mean id\?/,
    )
    assert.equal(
      codeOf(await call(catalog, 'crow_shop', { action: 'support.tickets.close', params: 'id=5' })),
      'VALIDATION_ERROR',
    )
    assert.equal((await call(catalog, 'crow_other')).kind, 'unknown-tool')
  },
)

test(
  'a grouped call is permitted, guarded and recorded exactly once, as the inner tool',
  { timeout: 5000 },
  async () => {
    const ends: EndEvent[] = []
    const catalog = desk({ observers: [{ id: 'audit', onEnd: (event) => void ends.push(event) }] })
    await call(catalog, 'crow_shop', { action: 'ping' })
    await call(catalog, 'crow_shop', { action: 'nothing' })
    assert.deepEqual(
      ends.map((end) => [end.tool, end.outcome, end.code]),
      [
        ['ping', 'ok', undefined],
        ['crow_shop', 'fault', 'UNKNOWN_ACTION'],
      ],
    )
    const preview = textOf(await call(catalog, 'crow_shop', { action: 'support.tickets.close', params: { id: 5 } }))
    const confirm_token = /confirm_token "([^"]+)"/.exec(preview)?.[1]
    assert.equal(
      textOf(await call(catalog, 'crow_shop', { action: 'support.tickets.close', params: { id: 5, confirm_token } })),
      'closed 5',
    )
  },
)

test('a caller who may only read sees and reaches the reading actions only', { timeout: 5000 }, async () => {
  const reader: Caller = { id: 'reader', kind: 'oauth', scopes: new Set(['shop:read']) }
  const catalog = desk()
  const [tool] = catalog.listTools('shop', reader)
  assert.doesNotMatch(JSON.stringify(tool), /close/)
  assert.equal(tool?.annotations?.readOnlyHint, true)
  assert.equal(
    codeOf(
      await call(catalog, 'crow_shop', { action: 'support.tickets.close', params: { id: 1 } }, { caller: reader }),
    ),
    'FORBIDDEN',
  )
  assert.doesNotMatch(textOf(await call(catalog, 'crow_shop', {}, { caller: reader })), /close/)
  assert.deepEqual(catalog.listTools('shop', { ...reader, scopes: new Set() }), [])
})

test('two dots, a dot beside a group, and bad names are compile errors', { timeout: 5000 }, () => {
  for (const name of ['a.b.c', '.a', 'a.', '', 'A', 'a-b', '1a', 'a b'])
    assert.throws(() => serve([readTool(name)]), CompileError, name)
  assert.throws(() => serve([readTool('a.b', { group: ['c'] })]), CompileError)
  assert.throws(() => serve([readTool('a', { group: ['b.c'] })]), CompileError)
  assert.throws(() => serve([readTool('x'.repeat(60))]), CompileError)
  assert.throws(() => serve([readTool('a.b'), readTool('b', { group: ['a'] })]), CompileError)
})

test('a foreign tool of a grouped server runs as one of its actions', { timeout: 5000 }, async () => {
  const source: ToolSource = {
    id: 'ext',
    epoch: 1,
    list: () => [{ name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } }],
    call: async (name, params) => ({ content: [{ type: 'text', text: `${name} ${JSON.stringify(params)}` }] }),
  }
  const catalog = serve([readTool('own')], {}, { grouped: true, source })
  const [definition] = catalog.listTools('shop', owner)
  assert.match(definition?.description ?? '', /^- echo\(/m)
  assert.equal(textOf(await call(catalog, 'crow_shop', { action: 'echo', params: { a: 1 } })), 'echo {"a":1}')
  assert.match(textOf(await call(catalog, 'crow_shop', { action: 'ech' })), /Did you mean echo\?/)
})
