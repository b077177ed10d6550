import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, UsageError } from '../../../src/cli/options.ts'
import { flagsOf } from '../../../src/cli/tool-flags.ts'

const timeout = 10_000

const schema = {
  type: 'object',
  required: ['content'],
  properties: {
    content: { type: 'string', description: 'What to\n  remember.' },
    importance: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number' },
    semantic: { type: 'boolean' },
    ids: { type: 'array', items: { type: 'integer' } },
    tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    metadata: { type: 'object' },
    sort_by: { anyOf: [{ const: 'recent' }, { const: 'importance' }] },
    anything: {},
    json: { type: 'string' },
  },
}

function paramsOf(...args: string[]): Record<string, unknown> {
  const flags = flagsOf(schema, ['json'])
  return flags.read(parseOptions({ options: flags.options }, args).options)
}

test('each text becomes what its schema asks for', { timeout }, () => {
  assert.deepEqual(
    paramsOf('--content', '42', '--importance', '7', '--ratio', '-0.5', '--semantic', '--ids', '1', '--ids', '2'),
    { content: '42', importance: 7, ratio: -0.5, semantic: true, ids: [1, 2] },
  )
})

test('a flag that is unsaid is false, one that is absent is absent', { timeout }, () => {
  assert.deepEqual(paramsOf('--no-semantic'), { semantic: false })
  assert.deepEqual(paramsOf(), {})
})

test('lists come from repetition or from one JSON array', { timeout }, () => {
  assert.deepEqual(paramsOf('--tags', 'a', '--tags', '7'), { tags: ['a', '7'] })
  assert.deepEqual(paramsOf('--ids', '[3,4]'), { ids: [3, 4] })
})

test('objects and untyped values are read as JSON where they look like it', { timeout }, () => {
  assert.deepEqual(paramsOf('--metadata', '{"a":[1]}', '--anything', 'plain'), {
    metadata: { a: [1] },
    anything: 'plain',
  })
  assert.deepEqual(paramsOf('--anything', 'true'), { anything: true })
})

test('a text that cannot become the value is refused by name', { timeout }, () => {
  assert.throws(() => paramsOf('--importance', 'high'), new UsageError('--importance takes a whole number, not "high"'))
  assert.throws(() => paramsOf('--metadata', '{oops'), /--metadata is not valid JSON/)
})

test('bounds are left to the tool, which explains them better', { timeout }, () => {
  assert.deepEqual(paramsOf('--importance', '99'), { importance: 99 })
})

test('the help shows descriptions in one line, choices and what is required', { timeout }, () => {
  const { options } = flagsOf(schema, [])
  assert.equal(options['content']?.help, '(required) What to remember.')
  assert.equal(options['sort_by']?.value, 'recent|importance')
  assert.equal(options['importance']?.value, 'NUMBER')
})

test('a parameter that bears the name of an own option is left to JSON', { timeout }, () => {
  assert.equal('json' in flagsOf(schema, ['json']).options, false)
})
