import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { defineMiddleware } from '../../../src/runtime/middleware.ts'
import { needInput } from '../../../src/runtime/reply.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { call, readTool, serve, textOf } from './fixture.ts'

const stranger = (id: string): Caller => ({ id, kind: 'oauth', scopes: 'all' })

test('a hundred calls at once never see what another wrote into its context', { timeout: 10_000 }, async () => {
  const tenant = defineMiddleware('tenant', async (ctx, input, next) => {
    ctx.derived['tenant'] = ctx.caller.id
    await new Promise((resolve) => setImmediate(resolve))
    return next(ctx, input)
  })
  const made: object[] = []
  const tool = readTool('whose', {
    use: [tenant],
    handle: async (_input, ctx) => {
      await new Promise((resolve) => setImmediate(resolve))
      made.push(ctx)
      return `${String(ctx.derived['tenant'])} ${String(ctx.derived['fresh'])}${'leaked' in ctx.derived}`
    },
  })
  const shared = { fresh: 'yes', ['__proto__']: { leaked: true } }
  let contexts = 0
  const context = () => {
    contexts++
    return { derived: shared }
  }
  const catalog = serve([tool], { context })
  const texts = await Promise.all(
    Array.from({ length: 100 }, async (_, index) =>
      textOf(await call(catalog, 'whose', {}, { caller: stranger(`c${index}`) })),
    ),
  )
  assert.deepEqual(
    texts,
    Array.from({ length: 100 }, (_, index) => `c${index} yesfalse`),
  )
  assert.equal(contexts, 100)
  assert.equal(new Set(made).size, 100)
  assert.deepEqual(Object.keys(shared), ['fresh', '__proto__'])
  assert.equal(Reflect.get({}, 'leaked'), undefined)
})

const asking = readTool('ask', {
  asks: true,
  handle: (_input, ctx) =>
    ctx.elicit.state === undefined
      ? needInput({ name: { method: 'elicitation/create', params: { message: 'Who?' } } }, 'first-round')
      : `${ctx.elicit.state} ${JSON.stringify(ctx.elicit.responses)}`,
})

test('a state made by one process works on another with the same key', { timeout: 5000 }, async () => {
  const stateKey = new Uint8Array(32).fill(7)
  const processes = [0, 1, 2].map(() => serve([asking], { stateKey }))
  for (const [index, first] of processes.entries()) {
    const asked = await call(first, 'ask', {}, { elicit: { supported: true } })
    assert.ok(asked.kind === 'input-required')
    assert.doesNotMatch(asked.state, /first-round/)
    const second = processes[(index + 1) % 3]
    assert.ok(second !== undefined)
    const done = await call(
      second,
      'ask',
      {},
      { elicit: { supported: true, responses: { name: 'Ada' }, state: asked.state } },
    )
    assert.equal(textOf(done), 'first-round {"name":"Ada"}')
  }
})

test(
  'a state is worth nothing to another caller, another tool or server, another key, or when altered',
  { timeout: 5000 },
  async () => {
    const other = readTool('other', { asks: true, handle: () => 'other' })
    const catalog = serve([asking, other])
    const [one, two] = [stranger('anonymous-1'), stranger('anonymous-2')]
    const asked = await call(catalog, 'ask', {}, { caller: one, elicit: { supported: true } })
    assert.ok(asked.kind === 'input-required')
    const again = (state: string, tool = 'ask', caller = one, where = catalog) =>
      call(where, tool, {}, { caller, elicit: { supported: true, state, responses: {} } })
    assert.equal((await again(asked.state)).kind, 'reply')
    assert.equal((await again(asked.state, 'ask', two)).kind, 'invalid-state')
    assert.equal((await again(asked.state, 'other')).kind, 'invalid-state')
    assert.equal((await again(asked.state, 'ask', one, serve([asking]))).kind, 'invalid-state')
    const stateKey = new Uint8Array(32).fill(7)
    const [shop, mall] = ['shop', 'mall'].map((id) =>
      compileCatalog([defineServer({ id, summary: id, tools: [asking] })], { stateKey }),
    )
    const inShop = await call(shop ?? catalog, 'ask', {}, { caller: one, elicit: { supported: true } })
    assert.ok(inShop.kind === 'input-required')
    const elicit = { supported: true, state: inShop.state, responses: {} }
    const inMall = await call(mall ?? catalog, 'ask', {}, { caller: one, server: 'mall', elicit })
    assert.equal(inMall.kind, 'invalid-state')
    for (const altered of [`x${asked.state}`, asked.state.slice(0, -4), '', '.', 'a.b', 'x'.repeat(50_000)]) {
      assert.equal((await again(altered)).kind, 'invalid-state', altered.slice(0, 20))
    }
  },
)

test('a tool that asks without end is stopped after a bounded number of rounds', { timeout: 5000 }, async () => {
  const catalog = serve([readTool('ask', { asks: true, handle: () => needInput({}, 'more') })])
  let state: string | undefined
  let rounds = 0
  for (; rounds < 20; rounds++) {
    const outcome = await call(
      catalog,
      'ask',
      {},
      { elicit: { supported: true, ...(state === undefined ? {} : { state }) } },
    )
    if (outcome.kind !== 'input-required') {
      assert.match(textOf(outcome), /ELICITATION_ROUNDS_EXCEEDED/)
      break
    }
    state = outcome.state
  }
  assert.equal(rounds, 8)
})
