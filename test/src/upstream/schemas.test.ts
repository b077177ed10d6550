import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listedSchema } from '../../../src/upstream/schemas.ts'

const timeout = 20_000
const text = { type: 'string' }
const whole = { type: 'integer' }

test('a schema with a plain root is the very object that came in, references and all', { timeout }, () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { a: { anyOf: [text, { $ref: '#/$defs/node' }] }, 'x-mcp-header': text },
    required: ['a'],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  }
  assert.equal(listedSchema(schema), schema)
})

test('a root of alternatives becomes one object that still describes every field', { timeout }, () => {
  const listed = listedSchema({
    oneOf: [
      { type: 'object', properties: { id: text }, required: ['id'] },
      { type: 'object', properties: { url: text }, required: ['url'] },
    ],
  })
  assert.deepEqual(listed, {
    description: 'Give one of: id; url.',
    type: 'object',
    properties: { id: text, url: text },
  })
})

test('what every alternative needs stays needed, and so does what the root needs', { timeout }, () => {
  const branch = (name: string) => ({ properties: { kind: text, [name]: whole }, required: ['kind', name] })
  const listed = listedSchema({
    type: 'object',
    title: 'T',
    description: 'D.',
    properties: { top: text },
    required: ['top'],
    anyOf: [branch('a'), branch('b')],
    additionalProperties: false,
  })
  assert.deepEqual(listed, {
    title: 'T',
    description: 'D. Give one of: a + kind; b + kind.',
    type: 'object',
    properties: { top: text, kind: text, a: whole, b: whole },
    required: ['top', 'kind'],
  })
})

test('all parts of an intersection are needed; a field described twice may be either', { timeout }, () => {
  const listed = listedSchema({
    allOf: [
      { properties: { a: text }, required: ['a'] },
      { properties: { a: whole, b: text }, required: ['b'] },
    ],
  })
  assert.deepEqual(listed, {
    type: 'object',
    properties: { a: { anyOf: [text, whole] }, b: text },
    required: ['a', 'b'],
  })
})

test(
  'references of the root are followed inside the document only, and conditions add their fields',
  { timeout },
  () => {
    const node = { type: 'object', properties: { n: text }, required: ['n'] }
    assert.deepEqual(listedSchema({ $ref: '#/$defs/node', $defs: { node } }), {
      $defs: { node },
      type: 'object',
      properties: { n: text },
      required: ['n'],
    })
    assert.deepEqual(listedSchema({ $ref: 'http://127.0.0.1/schema' }), { type: 'object', properties: {} })
    const conditional: unknown = JSON.parse(
      '{"type":"object","if":{},"then":{"properties":{"b":{"type":"string"}}},"else":{}}',
    )
    assert.deepEqual(listedSchema(conditional), { type: 'object', properties: { b: text } })
  },
)

test('a schema that means itself, or very many, ends', { timeout }, () => {
  const twice = [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }]
  const listed = listedSchema({ $ref: '#/$defs/a', $defs: { a: { allOf: twice, properties: { x: text } } } })
  assert.deepEqual(listed['properties'], { x: text })
  assert.deepEqual(listedSchema({ allOf: [{ $ref: '#/allOf/0' }] })['properties'], {})
})

test('a root that is no object at all is one without fields', { timeout }, () => {
  for (const schema of [undefined, null, true, 'x', [], 7]) assert.deepEqual(listedSchema(schema), { type: 'object' })
  assert.deepEqual(listedSchema({}), { type: 'object', properties: {} })
  assert.deepEqual(listedSchema({ type: 'string' }), { type: 'object', properties: {} })
})

test('headers are taken out of schemas, not out of data or of names', { timeout }, () => {
  const header = { 'x-mcp-header': 'Region' }
  const listed = listedSchema({
    type: 'object',
    properties: {
      region: { type: 'string', ...header, default: header, enum: [header] },
      'x-mcp-header': text,
      deep: { type: 'object', properties: { zone: { ...text, ...header } }, anyOf: [{ ...text, ...header }] },
    },
  })
  assert.deepEqual(listed, {
    type: 'object',
    properties: {
      region: { type: 'string', default: header, enum: [header] },
      'x-mcp-header': text,
      deep: { type: 'object', properties: { zone: text }, anyOf: [text] },
    },
  })
})

test('whatever comes, the root that is listed is one that providers take', { timeout }, () => {
  const keyword = fc.constantFrom(
    'oneOf',
    'anyOf',
    'allOf',
    'not',
    'if',
    'properties',
    '$ref',
    'type',
    'required',
    'enum',
  )
  const schemas = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.dictionary(keyword, fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })), { maxKeys: 4 }),
    ),
  })).schema
  fc.assert(
    fc.property(schemas, (schema) => {
      const listed = listedSchema(schema)
      assert.equal(listed['type'], 'object')
      for (const word of ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'enum', '$ref'])
        assert.ok(!Object.hasOwn(listed, word), word)
      assert.deepEqual(listedSchema(listed), listed)
    }),
  )
})
