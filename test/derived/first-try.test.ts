// A model that sees only what the router lists gets its call right the first time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../src/runtime/catalog.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { objectOf } from '../../src/lib/json.ts'
import { createToolIndex } from '../../src/search/tool-index.ts'
import { callOf, readActions, seeded } from '../fixtures/notation.ts'
import { surface } from '../fixtures/surface/index.ts'

const CALLS = 20

test('calls made from the list alone pass validation, whatever is left out', { timeout: 60_000 }, async (t) => {
  const catalog = compileCatalog(surface, {
    availableNeeds: ['blobs'],
    confirm: 'off',
    router: { makeIndex: createToolIndex },
  })
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  t.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  const actions = readActions(catalog.listTools('router', everyone))
  assert.equal(actions.length, catalog.counts().core)
  const failures: string[] = []
  for (const listed of actions) {
    for (let call = 0; call < CALLS; call++) {
      const params = callOf(listed, random)
      const { tool, action } = listed
      const outcome = await invoke(catalog, { caller: everyone, server: 'router', tool, params: { action, params } })
      const text = outcome.kind === 'reply' ? JSON.stringify(outcome.reply.content) : outcome.kind
      if (/VALIDATION_ERROR|MISSING_|DISCRIMINATOR|UNKNOWN_ACTION|unknown-tool/.test(text))
        failures.push(`${action} ${JSON.stringify(params)}: ${text}`)
    }
  }
  assert.deepEqual(failures.slice(0, 5), [])
})

/** What somebody writes who sees only this schema: words and short texts, numbers within what is shown, an address where it says so. */
function ordinary(schema: unknown, random: () => number): unknown {
  const {
    type,
    enum: values,
    anyOf,
    format,
    minimum,
    maximum,
    minLength,
    maxLength,
    items,
    properties,
    required,
  } = objectOf(schema)
  const { description = '' } = objectOf(schema)
  const upTo = (most: number): number => Math.floor(random() * (most + 1))
  if (Array.isArray(values)) return values[upTo(values.length - 1)]
  if (Array.isArray(anyOf)) return ordinary(anyOf[upTo(anyOf.length - 1)], random)
  if (type === 'boolean') return random() < 0.5
  if (type === 'integer' || type === 'number') {
    const low = typeof minimum === 'number' ? minimum : 1
    return low + upTo((typeof maximum === 'number' ? maximum : low + 500) - low)
  }
  if (type === 'array') return Array.from({ length: 1 + upTo(2) }, (_, at) => at).map(() => ordinary(items, random))
  if (type === 'object') {
    const needed = Array.isArray(required) ? required : []
    const given = Object.entries(objectOf(properties)).filter(
      ([name]) => name !== 'confirm_token' && name !== 'more' && (needed.includes(name) || random() < 0.5),
    )
    return Object.fromEntries(given.map(([name, child]) => [name, ordinary(child, random)]))
  }
  if (format === 'date') return '2026-03-14'
  if (format === 'date-time') return '2026-03-14T15:00Z'
  if (format === 'uri' || /address/.test(String(description))) return 'https://example.org/a'
  if (type === 'null') return null
  const low = typeof minLength === 'number' ? minLength : 1
  const high = typeof maxLength === 'number' ? maxLength : Math.max(80, low)
  const text = 'some ordinary words of a text that goes on '.repeat(10)
  return text
    .slice(0, low + upTo(high - low))
    .trim()
    .padEnd(low, 'x')
}

test(
  'calls made from direct lists pass validation, though lists leave out far bounds',
  { timeout: 60_000 },
  async () => {
    const catalog = compileCatalog(surface, { availableNeeds: ['blobs'], confirm: 'off' })
    const random = seeded(Number(process.env['SEED'] ?? 7))
    const failures: string[] = []
    for (const { id } of catalog.servers)
      for (const { name, inputSchema } of catalog.listTools(id, everyone))
        for (let call = 0; call < CALLS; call++) {
          const params = ordinary(inputSchema, random)
          const outcome = await invoke(catalog, { caller: everyone, server: id, tool: name, params })
          const text = outcome.kind === 'reply' ? JSON.stringify(outcome.reply.content) : outcome.kind
          // Which one of several is no matter of bounds.
          if (/VALIDATION_ERROR|MISSING_/.test(text) && !/exactly one of|give one of/i.test(text))
            failures.push(`${name} ${JSON.stringify(params)}: ${text.slice(0, 300)}`)
        }
    assert.deepEqual(failures.slice(0, 5), [])
  },
)
