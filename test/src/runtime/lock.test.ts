import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { buildLock, parseLock, renderLock } from '../../../src/runtime/lock.ts'
import { diffLocks } from '../../../src/runtime/lock-diff.ts'
import { defineMiddleware, type Middleware } from '../../../src/runtime/middleware.ts'
import { definePresenter } from '../../../src/runtime/presenter.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { defineTool, type Tool } from '../../../src/runtime/tool.ts'
import { readTool } from './fixture.ts'

const auth: Middleware = defineMiddleware('auth', (ctx, input, next) => next(ctx, input))
const audit: Middleware = defineMiddleware('audit', (ctx, input, next) => next(ctx, input))

interface Facts {
  readonly use?: readonly Middleware[]
  readonly modes?: readonly string[]
  readonly activeMax?: number
  readonly extra?: boolean
  readonly effect?: 'read' | 'write'
  readonly redact?: string[]
  readonly escape?: boolean
  readonly cache?: 'no-store'
}

function subject(facts: Facts = {}): Tool {
  return defineTool({
    name: 'list',
    summary: 'Lists.',
    description: 'Lists.',
    effect: facts.effect ?? 'read',
    input: Type.Object({
      mode: Type.Union((facts.modes ?? ['short', 'long']).map((mode) => Type.Literal(mode))),
      ...(facts.extra === true ? { extra: Type.Optional(Type.String()) } : {}),
    }),
    use: facts.use ?? [auth, audit],
    limits: { activeMax: facts.activeMax ?? 4 },
    present: definePresenter({ schema: Type.Object({ email: Type.String() }), redact: facts.redact ?? ['email'] }),
    presenterEscape: facts.escape ?? false,
    ...(facts.cache === undefined ? {} : { sync: { cache: facts.cache } }),
    handle: () => ({ email: 'a@b' }),
  })
}

const lockOf = (tools: readonly Tool[], options = {}) =>
  buildLock(compileCatalog([defineServer({ id: 'shop', summary: 'Shop', tools })], options))
const changesOf = (before: Facts, after: Facts) => diffLocks(lockOf([subject(before)]), lockOf([subject(after)]))

test(
  'removing a middleware, changing an enum value and raising a limit are each named with tool and field',
  { timeout: 5000 },
  () => {
    const cases: [Facts, string, string][] = [
      [{ use: [audit] }, 'middleware', 'RISKY'],
      [{ use: [audit, auth] }, 'middleware', 'RISKY'],
      [{ modes: ['short', 'brief'] }, 'input.properties.mode.anyOf', 'BREAKING'],
      [{ activeMax: 5 }, 'limits.activeMax', 'RISKY'],
      [{ effect: 'write' }, 'effect', 'BREAKING'],
      [{ redact: [] }, 'present.redact', 'RISKY'],
      [{ escape: true }, 'present.escape', 'RISKY'],
      [{ cache: 'no-store' }, 'sync.cache', 'RISKY'],
      [{ extra: true }, 'input.properties.extra', 'SAFE'],
    ]
    for (const [after, field, severity] of cases) {
      const change = changesOf({}, after).find((one) => one.field === field)
      assert.deepEqual([change?.server, change?.tool, change?.severity], ['shop', 'list', severity], field)
    }
    assert.equal(
      changesOf({ extra: true }, {}).find((one) => one.field === 'input.properties.extra')?.severity,
      'BREAKING',
    )
    assert.deepEqual(changesOf({}, {}), [])
  },
)

test('a middleware of the whole catalog or of the server is seen as well', { timeout: 5000 }, () => {
  const global = diffLocks(lockOf([subject()], { middleware: [auth] }), lockOf([subject()]))
  assert.deepEqual(
    global.map((change) => change.field),
    ['middleware'],
  )
})

test(
  'a tool or server that comes is safe, one that goes is breaking, and turning confirmations off is risky',
  { timeout: 5000 },
  () => {
    const one = lockOf([subject()])
    const two = lockOf([subject(), readTool('other')])
    assert.deepEqual(
      diffLocks(one, two).map(({ severity, tool, message }) => [severity, tool, message]),
      [['SAFE', 'other', 'was added']],
    )
    assert.deepEqual(
      diffLocks(two, one).map(({ severity, tool, message }) => [severity, tool, message]),
      [['BREAKING', 'other', 'was removed']],
    )
    assert.deepEqual(
      diffLocks(one, lockOf([subject()], { confirm: 'off' })).map(({ severity, field }) => [severity, field]),
      [['RISKY', 'confirm']],
    )
    assert.deepEqual(
      diffLocks(buildLock(compileCatalog([])), one).map(({ severity, field }) => [severity, field]),
      [['SAFE', 'server']],
    )
  },
)

const part = (tools: readonly Tool[]) => defineServer({ id: 'shop', summary: 'Shop', tools })

test('the order of files and registrations does not change a byte', { timeout: 5000 }, () => {
  const tools = ['c', 'a', 'b'].map((name) => readTool(name))
  const other = defineServer({ id: 'other', summary: 'Other', tools: [readTool('x')] })
  const texts = [
    [part(tools), other],
    [other, part(tools.toReversed())],
    [part(tools.slice(2)), other, part(tools.slice(0, 2))],
  ].map((servers) => renderLock(buildLock(compileCatalog(servers))))
  assert.equal(new Set(texts).size, 1)
  assert.ok(texts[0]?.endsWith('}\n'))
})

test('a lock is read back as it was written; one edited by hand is refused', { timeout: 5000 }, () => {
  const lock = lockOf([subject()])
  const text = renderLock(lock)
  assert.deepEqual(diffLocks(parseLock(text), lock), [])
  assert.equal(renderLock(parseLock(text)), text)
  assert.throws(() => parseLock(text.replace('"auth"', '"nothing"')), SyntaxError)
  for (const bad of ['{}', '[]', 'null', '{"lockVersion":1,"digest":"x","servers":[]}', 'x'])
    assert.throws(() => parseLock(bad), SyntaxError)
})

const lockWithResource = (description: string, mimeType: string) =>
  buildLock(
    compileCatalog([
      defineServer({
        id: 'shop',
        summary: 'Shop',
        tools: [],
        resources: [{ uri: 'shop://a', name: 'a', description, mimeType, read: () => ({ text: '' }) }],
      }),
    ]),
  )

test('other words about a resource are safe, another type of it is not', { timeout: 5000 }, () => {
  const before = lockWithResource('One', 'text/plain')
  const severities = (after: typeof before) => diffLocks(before, after).map(({ severity }) => severity)
  assert.deepEqual(severities(lockWithResource('Two', 'text/plain')), ['SAFE'])
  assert.deepEqual(severities(lockWithResource('One', 'text/html')), ['BREAKING'])
})

const titled = (fields: Record<string, TSchema>) =>
  lockOf([readTool('plain'), defineTool({ ...subjectOf, input: Type.Object(fields) })])
const subjectOf = {
  name: 'save',
  summary: 'Saves.',
  description: 'Saves.',
  effect: 'read',
  handle: () => 'saved',
} as const

const fieldSeverities = (before: Record<string, TSchema>, after: Record<string, TSchema>) =>
  Object.fromEntries(diffLocks(titled(before), titled(after)).map(({ field, severity }) => [field, severity]))
const titleGiven = (title: string) => ({
  one: Type.Optional(Type.Object({ title: Type.String() }, { default: { title } })),
})

test('a field that is named title or description is a field, not wording', { timeout: 5000 }, () => {
  for (const name of ['title', 'description']) {
    assert.equal(fieldSeverities({ [name]: Type.String() }, {})[`input.properties.${name}`], 'BREAKING')
    assert.equal(fieldSeverities({}, { [name]: Type.String() })[`input.properties.${name}`], 'BREAKING')
    assert.equal(fieldSeverities({}, { [name]: Type.Optional(Type.String()) })[`input.properties.${name}`], 'SAFE')
    const worded = fieldSeverities(
      { [name]: Type.String() },
      { [name]: Type.String({ description: 'words', title: 'Words' }) },
    )
    assert.deepEqual(Object.values(worded), ['SAFE', 'SAFE'])
  }
  const nested = fieldSeverities(
    { properties: Type.Object({ title: Type.String() }) },
    { properties: Type.Object({ other: Type.Optional(Type.String()) }) },
  )
  assert.equal(nested['input.properties.properties.properties.title'], 'BREAKING')
  assert.equal(fieldSeverities(titleGiven('a'), titleGiven('b'))['input.properties.one.default.title'], 'BREAKING')
})
