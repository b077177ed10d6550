// What others get wrong costs them the field, not everybody the list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import { plainSchema, wellFormed } from '../../../src/runtime/well-formed.ts'
import { toolsServer } from '../../../src/upstream/tools-server.ts'
import { externalSource, tool } from '../../fixtures/external/source.ts'
import { owner } from './fixture.ts'

const timeout = 10_000

const BROKEN: readonly object[] = [
  { title: null },
  { description: 7 },
  { mimeType: [] },
  { size: 'large' },
  { icons: 'icon.png' },
  { icons: [{ url: 'x' }] },
  { icons: [{ src: 'x', sizes: '48x48' }] },
  { icons: [{ src: 'x', theme: 'blue' }] },
  { annotations: 'none' },
  { annotations: { audience: ['everyone'] } },
  { annotations: { priority: 7 } },
  { annotations: { lastModified: 'yesterday' } },
  { annotations: { lastModified: '2026-01-01T00:00:00' } },
  { arguments: {} },
  { arguments: [{ description: 'no name' }] },
  { arguments: [{ name: 'a', required: 'yes' }] },
  { _meta: [] },
  { execution: true },
  { outputSchema: true },
  { outputSchema: { type: 'object', properties: { a: true } } },
]
const GOOD = {
  title: 'T',
  description: 'D',
  icons: [{ src: 'data:,', mimeType: 'image/png', sizes: ['any'], theme: 'dark' }],
  annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00.5+02:00' },
  _meta: { a: 1 },
  future: null,
}

test('every list passes the schemas of a strict client, whatever field is wrong', { timeout }, () => {
  for (const broken of BROKEN) {
    const item = { ...GOOD, ...broken }
    const said = JSON.stringify(broken)
    const { annotations: _hints, ...plain } = wellFormed({ name: 'a', inputSchema: { type: 'object' }, ...item })
    ListToolsResultSchema.parse({ tools: [plain] }, { error: () => said })
    ListResourcesResultSchema.parse({ resources: [wellFormed({ uri: 'a:b', name: 'a', ...item })] })
    ListPromptsResultSchema.parse({ prompts: [wellFormed({ name: 'a', ...item })] })
  }
})

test('what is right is the same object, and what nobody knows stays', { timeout }, () => {
  assert.equal(wellFormed(GOOD), GOOD)
  const { title: _title, ...untitled } = GOOD
  assert.deepEqual(wellFormed({ ...GOOD, title: 1 }), untitled)
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], oneOf: [] }
  assert.equal(plainSchema(schema), schema)
})

test('schemas that are not objects are written as objects of the same meaning', { timeout }, () => {
  assert.deepEqual(plainSchema({ type: 'object', properties: { a: true, b: false, c: {} }, required: ['a', 1] }), {
    type: 'object',
    properties: { a: {}, b: { not: {} }, c: {} },
    required: ['a'],
  })
  assert.deepEqual(plainSchema({ type: 'object', properties: [], required: 'a', x: 1 }), { type: 'object', x: 1 })
})

test('tools with mistakes are listed beside the others', { timeout }, () => {
  const source = externalSource()
  const catalog = compileCatalog([toolsServer(source)])
  BROKEN.forEach((broken, index) => source.add(tool(`files_broken_${index}`, broken)))
  source.add(tool('files_loose', { inputSchema: { type: 'object', properties: { a: true }, required: 'a' } }))
  const tools = catalog.listTools('tools', owner)
  ListToolsResultSchema.parse({ tools })
  assert.equal(tools.filter(({ name }) => name.startsWith('files_broken')).length, BROKEN.length)
})
