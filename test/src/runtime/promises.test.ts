import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { isRecord } from '../../../src/lib/json.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, owner, serve, textOf } from './fixture.ts'

/** The smallest value that a published schema allows, or the largest that it is fair to expect. */
function example(schema: unknown): unknown {
  if (!isRecord(schema)) return 1
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (Array.isArray(schema['anyOf'])) return example(schema['anyOf'][0])
  switch (schema['type']) {
    case 'string':
      return schema['format'] === 'date' ? '2026-01-01' : 'x'.repeat(Number(schema['minLength'] ?? 1))
    case 'integer':
    case 'number':
      return schema['minimum'] ?? schema['maximum'] ?? 1
    case 'boolean':
      return true
    case 'array':
      return [example(schema['items'])]
    case 'object':
      return objectExample(schema, Object.keys(isRecord(schema['properties']) ? schema['properties'] : {}))
    default:
      return 'anything'
  }
}

function objectExample(schema: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(names.map((name) => [name, example(properties[name])]))
}

const tools = [
  defineTool({
    name: 'search',
    summary: 'Searches.',
    description: 'Searches.',
    effect: 'read',
    input: Type.Object({
      query: Type.String({ minLength: 3, maxLength: 9 }),
      mode: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
      limit: Type.Integer({ minimum: 1, maximum: 9, default: 3 }),
      since: Type.Optional(Type.String({ format: 'date' })),
      filter: Type.Optional(Type.Object({ tags: Type.Array(Type.String()), exact: Type.Optional(Type.Boolean()) })),
      labels: Type.Optional(Type.Record(Type.String(), Type.Integer())),
      any: Type.Optional(Type.Unknown()),
      parent: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    }),
    handle: (input) => JSON.stringify(input),
  }),
  defineTool({
    name: 'get',
    summary: 'Gets.',
    description: 'Gets.',
    effect: 'read',
    oneOf: ['id', 'slug'],
    input: Type.Object({
      id: Type.Optional(Type.Integer({ minimum: 1 })),
      slug: Type.Optional(Type.String({ minLength: 1 })),
    }),
    handle: (input) => JSON.stringify(input),
  }),
  defineTool({
    name: 'wipe',
    summary: 'Wipes.',
    description: 'Wipes.',
    effect: 'destroy',
    input: Type.Object({ id: Type.Integer() }),
    preview: () => ({ text: 'sure?', version: 1 }),
    handle: () => 'wiped',
  }),
]

test('no call made from a published schema is refused for its shape', { timeout: 5000 }, async () => {
  const catalog = serve(tools)
  let calls = 0
  for (const { name, inputSchema, description } of catalog.listTools('shop', owner)) {
    const all = Object.keys(isRecord(inputSchema['properties']) ? inputSchema['properties'] : {})
    const required = Array.isArray(inputSchema['required']) ? inputSchema['required'].map(String) : []
    const optional = all.filter((field) => !required.includes(field) && field !== 'confirm_token' && field !== 'more')
    const condition = /exactly one of: ([^.]+)\./.exec(description)?.[1]?.split(', ')
    const sets =
      condition === undefined
        ? [required, [...required, ...optional], ...optional.map((field) => [...required, field])]
        : condition.map((field) => [...required, field])
    for (const fields of sets) {
      const outcome = await call(catalog, name, objectExample({ ...inputSchema }, fields))
      assert.equal(codeOf(outcome), undefined, `${name} ${fields.join()} ${textOf(outcome)}`)
      calls++
    }
  }
  assert.ok(calls >= 12)
})

test(
  'a condition that the schema cannot say is in the description, and its error says which field to add',
  { timeout: 5000 },
  async () => {
    const catalog = serve(tools)
    const refused = textOf(await call(catalog, 'get', {}))
    assert.match(refused, /Give exactly one of id, slug; none was given/)
    assert.match(textOf(await call(catalog, 'get', { id: 1, nam: 'x' })), /the fields are id, slug/)
  },
)
