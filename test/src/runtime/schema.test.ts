import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord } from '../../../src/lib/json.ts'
import { CompileError } from '../../../src/runtime/compile-error.ts'
import { explain } from '../../../src/runtime/schema/explain.ts'
import { compileParser, REFUSED } from '../../../src/runtime/schema/parser.ts'
import { readShape } from '../../../src/runtime/schema/shape.ts'
import { wireInput } from '../../../src/runtime/wire-schema.ts'

const names = fc.constantFrom('id', 'name', 'tags', 'mode', 'note', 'when')

/** Schemas of the supported subset, nested. */
const { schema } = fc.letrec<{ schema: TSchema; leaf: TSchema }>((tie) => ({
  leaf: fc.oneof(
    fc
      .record({ minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 5 }) })
      .map((options) => Type.String(options)),
    fc.constant(Type.String({ pattern: '^[a-c]*$' })),
    fc
      .record({ minimum: fc.integer({ min: -3, max: 0 }), maximum: fc.integer({ min: 0, max: 4 }) })
      .map((options) => Type.Integer(options)),
    fc.constant(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 2 })),
    fc.constant(Type.Boolean()),
    fc.constant(Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()])),
    fc.constant(Type.Union([Type.Integer(), Type.String()])),
    fc.constant(Type.Enum(['p', 'q'])),
  ),
  schema: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    tie('schema').map((items) => Type.Array(items, { maxItems: 3 })),
    tie('schema').map((values) => Type.Record(Type.String(), values)),
    fc
      .uniqueArray(fc.tuple(names, tie('schema'), fc.boolean()), { selector: ([name]) => name, maxLength: 4 })
      .map((fields) =>
        Type.Object(
          Object.fromEntries(fields.map(([name, field, optional]) => [name, optional ? Type.Optional(field) : field])),
          { additionalProperties: false },
        ),
      ),
  ),
}))

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('a', 'b', 'p', 'abc', 'abcdefg', '🚀🚀', 0, 1, -2, 1.5, 7, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** Values that are likely to fit; what `value` makes seldom does. */
function fitting(one: unknown): fc.Arbitrary<unknown> {
  if (!isRecord(one)) return value
  if (Array.isArray(one['enum'])) return fc.constantFrom<unknown>(...one['enum'])
  if ('const' in one) return fc.constant(one['const'])
  if (Array.isArray(one['anyOf'])) return fc.oneof(...one['anyOf'].map(fitting))
  if (one['type'] === 'null') return fc.constant(null)
  if (one['type'] === 'boolean') return fc.boolean()
  if (one['type'] === 'string') return fc.string({ unit: fc.constantFrom('a', 'b', '🚀'), minLength: 1, maxLength: 5 })
  if (one['type'] === 'integer') return fc.integer({ min: -3, max: 4 })
  if (one['type'] === 'number') return fc.double({ min: 0, max: 2, noNaN: true })
  if (one['type'] === 'array') return fc.array(fitting(one['items']), { maxLength: 3 })
  const { properties, patternProperties } = one
  if (isRecord(patternProperties))
    return fc.dictionary(names, fitting(Object.values(patternProperties)[0]), { maxKeys: 3, noNullPrototype: true })
  const fields = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fitting(field)]))
    : {}
  const required = Array.isArray(one['required']) ? one['required'].map(String) : []
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
}

const pairs = schema.chain((one) =>
  fc.tuple(fc.constant(one), fc.array(fc.oneof(fitting(one), value), { minLength: 4, maxLength: 12 })),
)

test('our parser accepts what the schema library accepts, word for word', { timeout: 60_000 }, () => {
  let accepted = 0
  fc.assert(
    fc.property(pairs, ([one, values]) => {
      const parse = compileParser(readShape(one, 'test'), 'strict')
      const checker = Compile(one)
      for (const given of values) {
        const parsed = parse(given)
        assert.equal(parsed !== REFUSED, checker.Check(given), JSON.stringify([one, given]))
        if (parsed === REFUSED) continue
        accepted++
        assert.deepEqual(parsed, given)
      }
    }),
    { numRuns: 600 },
  )
  assert.ok(accepted > 500, String(accepted))
})

test(
  'there is an explanation exactly when the parser refuses, it is short, and it names a path',
  { timeout: 60_000 },
  () => {
    const any = fc.oneof(
      value,
      fc.constantFrom<unknown>(
        null,
        '',
        'a\0',
        '\ud800',
        { id: null },
        { ID: 1 },
        [null],
        JSON.parse('{"__proto__":1}'),
      ),
    )
    fc.assert(
      fc.property(schema, fc.array(any, { minLength: 4, maxLength: 12 }), (one, values) => {
        const shape = readShape(one, 'test')
        const parse = compileParser(shape, 'strict')
        for (const given of values) {
          const issues = explain(shape, given)
          assert.equal(issues.length > 0, parse(given) === REFUSED, JSON.stringify([one, given, issues]))
          assert.ok(issues.length <= 8 && issues.every((issue) => issue.message.length > 3))
        }
      }),
      { numRuns: 600 },
    )
  },
)

test('stripping drops undeclared keys at every depth and keeps the rest', { timeout: 5000 }, () => {
  const shape = readShape(
    Type.Object({ a: Type.Object({ b: Type.Integer() }), list: Type.Array(Type.Object({ c: Type.String() })) }),
    'test',
  )
  const parse = compileParser(shape, 'strip')
  assert.deepEqual(parse({ a: { b: 1, x: 1 }, list: [{ c: '', y: 1 }], z: 1 }), { a: { b: 1 }, list: [{ c: '' }] })
  assert.equal(parse({ a: { b: 'no' }, list: [] }), REFUSED)
})

test('a keyword that nobody would check is a compile error', { timeout: 5000 }, () => {
  const bad = [
    Type.Intersect([Type.Object({}), Type.Object({})]),
    Type.Object({ a: Type.String({ format: 'hostname-or-so' }) }),
    Type.Object({ a: Type.Unsafe({ type: 'string', contentEncoding: 'base64' }) }),
    Type.Object({ constructor: Type.String() }),
    Type.Tuple([Type.String()]),
    Type.Unsafe({ $ref: '#/x' }),
    Type.Unsafe({ type: ['string', 'null'] }),
  ]
  for (const one of bad) assert.throws(() => readShape(one, 'test'), CompileError, JSON.stringify(one))
})

const fits = (format: string, text: string) =>
  compileParser(readShape(Type.String({ format }), 'test'), 'strict')(text) !== REFUSED

test('a number out of bounds is told the bounds, not that it is a number', { timeout: 5000 }, () => {
  const shape = readShape(Type.Integer({ minimum: 1, maximum: 10 }), 'n')
  for (const given of [0, 11, 1.5, Number.MAX_VALUE]) {
    assert.deepEqual(explain(shape, given, 'n'), [
      { path: 'n', kind: 'wrong', message: 'must be an integer from 1 to 10' },
    ])
  }
  assert.match(explain(shape, '5', 'n')[0]?.message ?? '', /from 1 to 10, got a string$/)
})

test('formats are checked for real', { timeout: 5000 }, () => {
  const good = {
    date: ['2024-02-29'],
    time: ['23:59:59Z', '00:00:00.5+02:00'],
    'date-time': ['2026-01-31T10:00:00Z'],
    uuid: ['01a22e0e-2f57-72c7-a941-fca49fae0d1e'],
    email: ['a.b@example.org'],
    uri: ['https://x.example/a?b#c', 'urn:x:y'],
  }
  const bad = {
    date: ['2023-02-29', '2024-13-01', '2024-1-1', ''],
    time: ['24:00:00Z', '10:00'],
    'date-time': ['2026-01-31', '2026-02-30T10:00:00Z', '2026-01-31T10:00:00'],
    uuid: ['x', '01a22e0e2f5772c7a941fca49fae0d1e'],
    email: ['a', 'a@', '@b', 'a b@c', 'a@b..c'],
    uri: ['x', '/path', 'http://'],
  }
  for (const [format, texts] of Object.entries(good))
    for (const text of texts) assert.ok(fits(format, text), `${format} ${text}`)
  for (const [format, texts] of Object.entries(bad))
    for (const text of texts) assert.ok(!fits(format, text), `${format} ${text}`)
})

test('deep, huge and hostile JSON is refused quickly', { timeout: 10_000 }, () => {
  const parse = compileParser(readShape(Type.Object({ any: Type.Unknown() }), 'test'), 'strict')
  const deep: unknown = JSON.parse(`{"any":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)
  assert.equal(parse(deep), REFUSED)
  assert.equal(parse(JSON.parse('{"any":{"a":{"__proto__":1}}}')), REFUSED)
  const shape = readShape(
    Type.Object({ list: Type.Array(Type.Union([Type.Integer(), Type.Object({ a: Type.Integer() })])) }),
    'test',
  )
  const many = { list: [...Array.from({ length: 200_000 }, () => 1), 'x'] }
  const started = performance.now()
  assert.equal(explain(shape, many).length, 1)
  assert.ok(performance.now() - started < 3000)
})

test(
  'the wire schema is closed at every depth, asks for nothing that has a default, and carries no noise',
  { timeout: 5000 },
  () => {
    const wire = wireInput(
      Type.Object({
        a: Type.Object({ b: Type.Integer() }),
        n: Type.Integer({ default: 5 }),
        t: Type.Array(Type.Object({ c: Type.Optional(Type.String()) })),
      }),
      { confirm: false, more: false },
    )
    assert.deepEqual(wire, {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'], additionalProperties: false },
        n: { type: 'integer', default: 5 },
        t: {
          type: 'array',
          items: { type: 'object', properties: { c: { type: 'string' } }, additionalProperties: false },
        },
      },
      required: ['a', 't'],
      additionalProperties: false,
    })
  },
)
