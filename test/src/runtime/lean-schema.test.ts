// What a list leaves out of a schema is a bound that nobody comes near by accident, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { surfaceCatalog } from '../../../bench/tokens.ts'
import { isRecord } from '../../../src/lib/json.ts'
import { leanInput } from '../../../src/runtime/wire-schema.ts'

/** What the lean schema says that the whole one does not, and what it leaves out, by path. */
function differences(whole: unknown, lean: unknown, path: string): string[] {
  if (Array.isArray(whole) && Array.isArray(lean) && whole.length === lean.length)
    return whole.flatMap((each, index) => differences(each, lean[index], `${path}[${index}]`))
  if (!isRecord(whole) || !isRecord(lean))
    return JSON.stringify(whole) === JSON.stringify(lean) ? [] : [`${path} changed`]
  if (Array.isArray(whole['anyOf']) && Array.isArray(lean['enum'])) {
    const constants = whole['anyOf'].map((member) => (isRecord(member) ? member['const'] : undefined))
    assert.deepEqual(lean['enum'], constants, path)
    const { anyOf: _members, ...rest } = whole
    const { enum: _values, type: _type, ...others } = lean
    return differences(rest, others, path)
  }
  const keys = new Set([...Object.keys(whole), ...Object.keys(lean)])
  return [...keys].flatMap((key) => {
    if (!(key in lean)) return [`${path} without ${key} ${JSON.stringify(whole[key])}`]
    if (!(key in whole)) return [`${path} with ${key}`]
    return differences(whole[key], lean[key], `${path}.${key}`)
  })
}

const LEFT_OUT =
  / without (minLength 1|maxLength [1-9]\d{2,}|pattern ".*"|patternProperties \{.*|(maximum|minimum) -?\d{6,}|minimum 1|description "Reads on in a cut reply")$/

test('over the whole surface only far bounds and what every text obeys are left out', { timeout: 10_000 }, () => {
  for (const { tools } of surfaceCatalog().servers)
    for (const { publicName, inputSchema, definition } of tools) {
      if (publicName === 'crow_discover') continue
      const found = differences(inputSchema, definition.inputSchema, publicName)
      assert.deepEqual(
        found.filter((difference) => !LEFT_OUT.test(difference)),
        [],
      )
      for (const difference of found.filter((each) => each.endsWith(' without minimum 1')))
        assert.match(difference, /[._]id /)
    }
})

test('ranges, short texts, formats and nested fields stay', { timeout: 10_000 }, () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      key: { type: 'string', minLength: 1, maxLength: 10 },
      at: { type: 'string', format: 'date-time' },
      inner: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, maxLength: 5000 } },
        required: ['text'],
      },
    },
    required: ['limit'],
    additionalProperties: false,
  }
  const { key: _key, inner: _inner, ...same } = schema.properties
  assert.deepEqual(leanInput(schema), {
    ...schema,
    properties: {
      ...same,
      key: { type: 'string', maxLength: 10 },
      inner: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  })
})
