import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import type { CatalogOptions } from '../../../src/runtime/catalog.ts'
import { fault } from '../../../src/runtime/fault.ts'
import type { ElicitChannel } from '../../../src/runtime/context.ts'
import { defineTool, type Tool } from '../../../src/runtime/tool.ts'
import { call, codeOf, idle, owner, replyOf, serve, textOf } from './fixture.ts'

function shop(options: CatalogOptions = {}) {
  const items = new Map([
    [1, { version: 1 }],
    [2, { version: 1 }],
  ])
  const removal = (name: string): Tool =>
    defineTool({
      name,
      summary: 'Removes.',
      description: 'Removes.',
      effect: 'destroy',
      input: Type.Object({ id: Type.Integer() }),
      preview: ({ id }) => {
        const item = items.get(id)
        if (item === undefined) throw fault('NOT_FOUND', `There is no item ${id}.`)
        return { text: `Item ${id}, version ${item.version}`, version: item.version }
      },
      handle: ({ id }) => (items.delete(id) ? `removed ${id}` : fault('NOT_FOUND', 'gone')),
    })
  let now = 1_000_000
  const catalog = serve([removal('remove'), removal('wipe')], { clock: { now: () => now }, ...options })
  return { items, catalog, wait: (ms: number) => void (now += ms) }
}

const tokenOf = (text: string) => /confirm_token "([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)

test(
  'the first call shows the item and changes nothing; the second, with the token, removes it',
  { timeout: 5000 },
  async () => {
    const { catalog, items } = shop()
    const first = await call(catalog, 'remove', { id: 1 })
    assert.equal(replyOf(first).isError, undefined)
    assert.match(textOf(first), /^Item 1, version 1\n\nNothing has been changed yet/)
    assert.ok(items.has(1))
    const token = tokenOf(textOf(first))
    assert.ok(token.length < 80, 'short enough to be copied by a model')
    assert.equal(textOf(await call(catalog, 'crow_remove', { id: 1, confirm_token: token })), 'removed 1')
    assert.ok(!items.has(1))
    assert.ok(idle(catalog))
  },
)

test('a token works once, for a minute, for its caller, its tool and its item only', { timeout: 5000 }, async () => {
  const { catalog, items, wait } = shop()
  const token = tokenOf(textOf(await call(catalog, 'remove', { id: 1 })))
  const refused = [
    await call(catalog, 'remove', { id: 2, confirm_token: token }),
    await call(catalog, 'wipe', { id: 1, confirm_token: token }),
    await call(catalog, 'remove', { id: 1, confirm_token: token }, { caller: { ...owner, id: 'other' } }),
    await call(catalog, 'remove', { id: 1, confirm_token: `${token}x` }),
    await call(catalog, 'remove', { id: 1, confirm_token: `${token}.` }),
    await call(catalog, 'remove', { id: 1, confirm_token: `${token}.x` }),
    await call(catalog, 'remove', { id: 1, confirm_token: 'guess' }),
    await call(catalog, 'remove', { id: 1, confirm_token: 'x'.repeat(100_000) }),
    await call(shop().catalog, 'remove', { id: 1, confirm_token: token }),
  ]
  for (const outcome of refused) assert.equal(codeOf(outcome), 'CONFIRM_INVALID')
  assert.equal(items.size, 2)
  wait(60_001)
  assert.equal(codeOf(await call(catalog, 'remove', { id: 1, confirm_token: token })), 'CONFIRM_INVALID')
  const fresh = tokenOf(textOf(await call(catalog, 'remove', { id: 1, confirm_token: '' })))
  const both = await Promise.all([0, 1].map(() => call(catalog, 'remove', { id: 1, confirm_token: fresh })))
  assert.deepEqual(both.map((outcome) => codeOf(outcome) ?? 'removed').toSorted(), ['NOT_FOUND', 'removed'])
  items.set(1, { version: 1 })
  assert.match(textOf(await call(catalog, 'remove', { id: 1, confirm_token: fresh })), /used already/)
  assert.ok(items.has(1))
})

test('an item that changed after the preview is not removed', { timeout: 5000 }, async () => {
  const { catalog, items } = shop()
  const token = tokenOf(textOf(await call(catalog, 'remove', { id: 1 })))
  items.set(1, { version: 2 })
  const outcome = await call(catalog, 'remove', { id: 1, confirm_token: token })
  assert.match(textOf(outcome), /CONFIRM_INVALID[^]*has changed since the preview/)
  assert.ok(items.has(1))
})

test(
  'the handler is told which version was confirmed, and none where nothing is asked',
  { timeout: 5000 },
  async () => {
    const told: unknown[] = []
    const remove = defineTool({
      name: 'remove',
      summary: 'Removes.',
      description: 'Removes.',
      effect: 'destroy',
      input: Type.Object({ id: Type.Integer() }),
      preview: () => ({ text: 'An item', version: '7.2' }),
      handle: (_input, ctx) => `removed ${String(told.push(ctx.confirmedVersion))}`,
    })
    const catalog = serve([remove])
    const token = tokenOf(textOf(await call(catalog, 'remove', { id: 1 })))
    await call(catalog, 'remove', { id: 1, confirm_token: token })
    await call(serve([remove], { confirm: 'off' }), 'remove', { id: 1 })
    assert.deepEqual(told, ['7.2', undefined])
  },
)

test('a preview that finds nothing says so', { timeout: 5000 }, async () => {
  assert.equal(codeOf(await call(shop().catalog, 'remove', { id: 9 })), 'NOT_FOUND')
})

test('where the client can ask, the person decides', { timeout: 5000 }, async () => {
  const { catalog, items } = shop()
  const ask = (params: object, channel: Partial<ElicitChannel> = {}) =>
    call(catalog, 'remove', params, { elicit: { supported: true, ...channel } })
  const asked = await ask({ id: 1 })
  assert.ok(asked.kind === 'input-required')
  assert.equal(asked.requests['confirm']?.method, 'elicitation/create')
  assert.equal(asked.requests['confirm']?.params['message'], 'Item 1, version 1')
  const { state } = asked
  const yes = { confirm: { action: 'accept', content: { confirm: true } } }
  for (const answer of [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { confirm: false } },
    { action: 'accept' },
    'yes',
    null,
  ]) {
    const again = await ask({ id: 1 })
    assert.ok(again.kind === 'input-required')
    assert.equal(codeOf(await ask({ id: 1 }, { state: again.state, responses: { confirm: answer } })), 'CANCELLED')
    const afterwards = await ask({ id: 1 }, { state: again.state, responses: yes })
    assert.equal(codeOf(afterwards), 'CONFIRM_INVALID', 'what was answered with no stays no')
  }
  assert.equal((await ask({ id: 2 }, { state, responses: yes })).kind, 'invalid-state')
  assert.equal((await ask({ id: 1 }, { state: 'forged', responses: yes })).kind, 'invalid-state')
  assert.equal(codeOf(await ask({ id: 1, confirm_token: state })), 'CONFIRM_INVALID', 'a state is no token for a model')
  assert.ok(items.has(1))
  assert.equal(textOf(await ask({ id: 1 }, { state, responses: yes })), 'removed 1')
})

test('the mode `token` never asks the person, and `off` asks nobody', { timeout: 5000 }, async () => {
  const elicit = { supported: true }
  const token = shop({ confirm: 'token' })
  assert.match(textOf(await call(token.catalog, 'remove', { id: 1 }, { elicit })), /confirm_token/)
  assert.equal(token.catalog.server('shop')?.find('remove')?.canAsk, false)
  const off = shop({ confirm: 'off' })
  assert.equal(textOf(await call(off.catalog, 'remove', { id: 1 }, { elicit })), 'removed 1')
})

test(
  'the schema shows the token on what destroys only, and a declaration cannot take its name',
  { timeout: 5000 },
  () => {
    const { catalog } = shop()
    assert.match(JSON.stringify(catalog.listTools('shop', owner)[0]?.inputSchema), /"confirm_token":\{"type":"string"/)
    const clash = defineTool({
      name: 'x',
      summary: 'X.',
      description: 'X.',
      effect: 'read',
      input: Type.Object({ confirm_token: Type.String() }),
      handle: () => 'x',
    })
    assert.throws(() => serve([clash]), CompileError)
  },
)
