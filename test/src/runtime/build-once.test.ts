import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { invoke } from '../../../src/runtime/invoke.ts'
import type { Middleware } from '../../../src/runtime/middleware.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, owner, readTool, serve } from './fixture.ts'

test(
  'nothing reachable from a tools list can be changed, and the next list has the same bytes',
  { timeout: 5000 },
  () => {
    const tool = defineTool({
      name: 'add',
      summary: 'Adds.',
      description: 'Adds.',
      effect: 'write',
      input: Type.Object({
        tags: Type.Array(Type.String()),
        mode: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
      }),
      output: Type.Object({ id: Type.Integer() }),
      handle: () => ({ id: 1 }),
    })
    const catalog = serve([tool])
    assert.ok(Object.isFrozen(catalog.server('shop')?.tools[0]?.definition.inputSchema['properties']))
    const before = catalog.server('shop')?.toolsListJson(owner)
    let objects = 0
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      objects++
      assert.equal(Reflect.defineProperty(value, 'extra', { value: 1 }), false)
      assert.ok(Object.isFrozen(value))
      for (const child of Object.values(value)) visit(child)
    }
    visit(catalog.listTools('shop', owner))
    assert.ok(objects > 8)
    assert.throws(
      () => Object.assign(catalog.listTools('shop', owner)[0]?.inputSchema ?? {}, { title: 'x' }),
      TypeError,
    )
    Object.assign(tool.input ?? {}, { title: 'changed at the source' })
    assert.equal(catalog.server('shop')?.toolsListJson(owner), before)
    assert.equal(JSON.stringify(catalog.listTools('shop', owner)), before)
  },
)

test('middlewares run global, server, tool, then the handler, and leave in reverse', { timeout: 5000 }, async () => {
  const steps: string[] = []
  const wrap = (id: string): Middleware => ({
    id,
    run: async (ctx, input, next) => {
      steps.push(`+${id}`)
      const value = await next(ctx, input)
      steps.push(`-${id}`)
      return value
    },
  })
  const tool = readTool('one', {
    use: [wrap('a1'), wrap('a2')],
    handle: () => {
      steps.push('handler')
      return 'ok'
    },
  })
  const catalog = serve([tool], { middleware: [wrap('g1'), wrap('g2')] }, { use: [wrap('s1')] })
  await call(catalog, 'one')
  assert.deepEqual(steps, ['+g1', '+g2', '+s1', '+a1', '+a2', 'handler', '-a2', '-a1', '-s1', '-g2', '-g1'])
})

test('the chain is composed when compiling and looked at by no call', { timeout: 5000 }, async () => {
  let reads = 0
  const list = new Proxy<Middleware[]>([{ id: 'm', run: (ctx, input, next) => next(ctx, input) }], {
    get(target, key, receiver): unknown {
      reads++
      return Reflect.get(target, key, receiver)
    },
  })
  const catalog = serve([readTool('one', { use: list })])
  assert.ok(reads > 0)
  reads = 0
  for (let count = 0; count < 10; count++) await call(catalog, 'one')
  assert.equal(reads, 0)
})

test('a handler that needs no waiting is answered without a promise', { timeout: 5000 }, () => {
  const outcome = invoke(serve([readTool('one')]), { caller: owner, server: 'shop', tool: 'one' })
  assert.ok(!(outcome instanceof Promise))
})
