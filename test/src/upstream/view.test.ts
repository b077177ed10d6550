// What is listed of what a server has: whatever it wrote, clients can read the list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import type { JsonObject } from '../../../src/lib/link.ts'
import { viewOf, type View } from '../../../src/upstream/view.ts'
import { fakeSpec } from '../../fixtures/upstream/hub-stand.ts'

const timeout = 60_000
const EMPTY = { tools: [], prompts: [], resources: [], templates: [] }
const spec = fakeSpec('one')

const toolsOf = (tools: readonly JsonObject[], reserved: readonly string[] = []): View =>
  viewOf(spec, { ...EMPTY, tools }, new Set(reserved))

test('a field of the wrong type is left out, all others stay', { timeout }, () => {
  const tool = {
    name: 'a',
    title: 3,
    description: null,
    inputSchema: 'no',
    outputSchema: { type: 'array' },
    own: [1],
    _meta: { a: 1 },
  }
  assert.deepEqual(toolsOf([tool]).tools[0]?.listed, {
    name: 'one_a',
    description: '',
    inputSchema: { type: 'object' },
    own: [1],
    _meta: { a: 1 },
  })
})

test('names of the gateway and look-alikes are not shown, and the reason is given', { timeout }, () => {
  const view = toolsOf([{ name: 'mine' }, { name: 'Mine' }, { name: 'm\u0456ne' }, { name: 'taken' }], ['one_taken'])
  assert.equal(view.tools.length, 1)
  assert.equal(view.refused.length, 3)
})

test('whatever a server lists, the list is one that clients read', { timeout }, () => {
  const json = fc.jsonValue({ maxDepth: 1 })
  const some = (...fields: string[]): fc.Arbitrary<object> => fc.dictionary(fc.constantFrom(...fields), json)
  const schema = fc.oneof(
    json,
    fc.record({ type: fc.constantFrom('object', 3), properties: fc.oneof(json, some('a', 'b')), required: json }),
  )
  const annotations = fc.oneof(json, some('title', 'audience', 'priority', 'lastModified', 'readOnlyHint'))
  const fields = fc.record(
    {
      title: json,
      description: json,
      mimeType: json,
      size: json,
      _meta: json,
      inputSchema: schema,
      outputSchema: schema,
      annotations,
      icons: fc.oneof(json, fc.array(some('src', 'mimeType', 'sizes', 'theme'))),
      arguments: fc.oneof(json, fc.array(some('name', 'description', 'required', 'title'))),
    },
    { requiredKeys: [] },
  )
  const entries = fc
    .tuple(fc.string({ minLength: 1, maxLength: 8 }), fields)
    .map(([key, more]): JsonObject => ({ ...more, name: key, uri: `x:${key}`, uriTemplate: `x:${key}` }))
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 5 }), (list) => {
      const view = viewOf(spec, { tools: list, prompts: list, resources: list, templates: list }, new Set())
      const tools = view.tools.map(({ listed: { annotations: _theirs, ...listed } }) => listed)
      ListToolsResultSchema.parse({ tools })
      ListPromptsResultSchema.parse({ prompts: view.prompts.map(({ listed }) => listed) })
      ListResourcesResultSchema.parse({ resources: view.resources })
    }),
    { numRuns: 500 },
  )
})
