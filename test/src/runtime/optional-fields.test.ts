import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, serve, textOf } from './fixture.ts'

const search = defineTool({
  name: 'search',
  summary: 'Searches.',
  description: 'Searches.',
  effect: 'read',
  input: Type.Object({
    query: Type.String({ minLength: 1 }),
    category: Type.Optional(Type.Union([Type.Literal('general'), Type.Literal('work')])),
    min_importance: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    since: Type.Optional(Type.String({ format: 'date' })),
    tags: Type.Optional(Type.Array(Type.String())),
    note: Type.Optional(Type.String()),
    parent: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    deep: Type.Optional(Type.Object({ a: Type.Optional(Type.Integer()) })),
  }),
  handle: (input) => JSON.stringify(input),
})
const options = ['category', 'min_importance', 'limit', 'since', 'tags', 'deep']

test('null for an optional field is the same as leaving it out', { timeout: 5000 }, async () => {
  const catalog = serve([search])
  const plain = textOf(await call(catalog, 'search', { query: 'x' }))
  assert.equal(plain, '{"query":"x","limit":10}')
  const nulls = Object.fromEntries(options.map((name) => [name, null]))
  assert.equal(textOf(await call(catalog, 'search', { query: 'x', ...nulls })), plain)
  assert.equal(
    textOf(await call(catalog, 'search', { query: 'x', deep: { a: null } })),
    '{"query":"x","limit":10,"deep":{}}',
  )
})

test(
  'an empty string is the same as leaving a field out where it could mean nothing else',
  { timeout: 5000 },
  async () => {
    const catalog = serve([search])
    const empties = Object.fromEntries(options.map((name) => [name, '']))
    assert.equal(textOf(await call(catalog, 'search', { query: 'x', ...empties })), '{"query":"x","limit":10}')
    assert.equal(textOf(await call(catalog, 'search', { query: 'x', note: '' })), '{"query":"x","limit":10,"note":""}')
    assert.equal(codeOf(await call(catalog, 'search', { query: '' })), 'VALIDATION_ERROR')
  },
)

test(
  'null where the schema gives it a meaning stays null, and null for a required field is an error that names it',
  { timeout: 5000 },
  async () => {
    const catalog = serve([search])
    assert.equal(
      textOf(await call(catalog, 'search', { query: 'x', parent: null })),
      '{"query":"x","limit":10,"parent":null}',
    )
    const refused = await call(catalog, 'search', { query: null })
    assert.equal(codeOf(refused), 'MISSING_REQUIRED_FIELD')
    assert.match(textOf(refused), /query: is required/)
  },
)

test('the arguments given are never changed, and defaults are fresh each time', { timeout: 5000 }, async () => {
  const seen: object[] = []
  const tool = defineTool({
    name: 'keep',
    summary: 'Keeps.',
    description: 'Keeps.',
    effect: 'read',
    input: Type.Object({ list: Type.Optional(Type.Array(Type.String(), { default: ['a'] })) }),
    handle: (input) => {
      seen.push(input)
      input.list?.push('changed')
      return 'ok'
    },
  })
  const catalog = serve([tool])
  const given = Object.freeze({ list: Object.freeze(['x']) })
  for (const params of [{}, {}, given]) await call(catalog, 'keep', params)
  assert.deepEqual(seen, [{ list: ['a', 'changed'] }, { list: ['a', 'changed'] }, { list: ['x', 'changed'] }])
})

test(
  'a list or an object that a client wrote as text is read; text that is none is refused by name',
  { timeout: 5000 },
  async () => {
    const catalog = serve([search])
    const said = async (more: object) => textOf(await call(catalog, 'search', { query: 'x', ...more }))
    assert.equal(await said({ tags: '["a"]', deep: '{"a":1}' }), await said({ tags: ['a'], deep: { a: 1 } }))
    assert.equal(await said({ note: '["a"]' }), '{"query":"x","limit":10,"note":"[\\"a\\"]"}')
    for (const [more, message] of [
      [{ tags: 'a' }, /tags: must be an array, got a string/],
      [{ tags: '{"a":1}' }, /tags: must be an array, got an object/],
      [{ tags: '[1]' }, /tags\[0\]: must be a string, got a number/],
      [{ deep: '[1]' }, /deep: must be an object, got an array/],
      [{ deep: '{"a":"b"}' }, /deep\.a: must be an integer, got a string/],
      [{ deep: '{"b":1}' }, /deep\.b: is not a field/],
    ] as const) {
      assert.match(await said(more), message)
      assert.equal(codeOf(await call(catalog, 'search', { query: 'x', ...more })), 'VALIDATION_ERROR')
    }
  },
)
