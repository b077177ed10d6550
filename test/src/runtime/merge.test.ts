import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import { defineMiddleware } from '../../../src/runtime/middleware.ts'
import { definePresenter } from '../../../src/runtime/presenter.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import { owner, readTool, serve, textOf } from './fixture.ts'

const mark = (id: string, seen: string[]) =>
  defineMiddleware(id, (ctx, input, next) => {
    seen.push(id)
    return next(ctx, input)
  })

test('two parts of one server keep each its own middleware', { timeout: 5000 }, async () => {
  const seen: string[] = []
  const parts = [
    defineServer({ id: 'shop', summary: 'A shop', tools: [readTool('one')], use: [mark('A', seen)] }),
    defineServer({ id: 'shop', summary: 'A shop', tools: [readTool('two')], use: [mark('B', seen)] }),
  ]
  const catalog = compileCatalog(parts)
  await invoke(catalog, { caller: owner, server: 'shop', tool: 'two' })
  assert.deepEqual(seen, ['B'])
  await invoke(catalog, { caller: owner, server: 'shop', tool: 'one' })
  assert.deepEqual(seen, ['B', 'A'])
})

test(
  'chain, limits and presenter of every tool are the same however files and order split the server',
  { timeout: 30_000 },
  () => {
    const spec = fc.record({
      use: fc.array(fc.constantFrom('auth', 'rate', 'log'), { maxLength: 3 }),
      activeMax: fc.integer({ min: 1, max: 9 }),
      listMax: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    })
    const plan = fc.array(fc.tuple(spec, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(plan, fc.integer(), (tools, seed) => {
        const made = tools.map(([one, part], index) => ({
          part,
          tool: readTool(`t${index}`, {
            use: one.use.map((id) => mark(id, [])),
            limits: { activeMax: one.activeMax },
            ...(one.listMax === undefined
              ? {}
              : { present: definePresenter({ schema: Type.Object({ id: Type.Integer() }), listMax: one.listMax }) }),
          }),
        }))
        const whole = serve(made.map(({ tool }) => tool))
        const shuffled = made.toSorted((left, right) => Math.sin(seed + left.part) - Math.sin(seed + right.part))
        const split = compileCatalog(
          [0, 1, 2, 3].map((part) =>
            defineServer({
              id: 'shop',
              summary: 'A shop',
              tools: shuffled.filter((one) => one.part === part).map(({ tool }) => tool),
            }),
          ),
        )
        const facts = (catalog: typeof whole) =>
          catalog
            .server('shop')
            ?.tools.map((tool) => [tool.name, tool.middlewareIds, tool.limits, tool.declaration.present?.listMax])
        assert.deepEqual(facts(split), facts(whole))
        assert.equal(split.server('shop')?.toolsListJson(owner), whole.server('shop')?.toolsListJson(owner))
      }),
      { numRuns: 100 },
    )
  },
)

test(
  'a name that is declared twice, and parts that disagree, are errors that name both places',
  { timeout: 5000 },
  () => {
    const here = /merge\.test\.ts:\d+/g
    assert.throws(
      () => serve([readTool('same'), readTool('same')]),
      (error) => error instanceof CompileError && (error.message.match(/fixture\.ts:\d+/g)?.length ?? 0) === 2,
    )
    const parts = [
      defineServer({ id: 'shop', summary: 'A shop', tools: [] }),
      defineServer({ id: 'shop', summary: 'Another', tools: [] }),
    ]
    assert.throws(
      () => compileCatalog(parts),
      (error) =>
        error instanceof CompileError && error.message.match(here)?.length === 2 && error.message.includes('summary'),
    )
  },
)

test('two servers cannot claim one mount', { timeout: 5000 }, () => {
  const servers = [
    defineServer({ id: 'a', summary: 'A', tools: [], aliases: ['/'] }),
    defineServer({ id: 'b', summary: 'B', tools: [], mount: '/' }),
  ]
  assert.throws(() => compileCatalog(servers), CompileError)
})

test('a server whose need is not met is neither mounted nor counted, and says why', { timeout: 5000 }, () => {
  const files = defineServer({ id: 'files', summary: 'Files', tools: [readTool('list')], needs: ['blobs'] })
  const without = compileCatalog([files])
  assert.deepEqual(without.counts(), { core: 0, external: 0, total: 0, routerMode: null })
  assert.deepEqual(without.unavailable, [{ id: 'files', missing: ['blobs'] }])
  assert.equal(compileCatalog([files], { availableNeeds: ['blobs'] }).counts().total, 1)
})

test('bare, public and short names and every alias reach the same tool', { timeout: 5000 }, async () => {
  const catalog = compileCatalog([
    defineServer({ id: 'media', summary: 'Media', tools: [readTool('media_feed')], aliases: ['/'] }),
  ])
  for (const server of ['media', '/media', '/']) {
    for (const tool of ['media_feed', 'crow_media_feed', 'feed']) {
      assert.equal(textOf(await invoke(catalog, { caller: owner, server, tool })), 'media_feed')
    }
  }
})
