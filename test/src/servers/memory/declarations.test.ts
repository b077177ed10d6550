// What the declarations of the memory tools promise, checked against what the tools do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { flushAccess } from '../../../../src/servers/memory/access.ts'
import { memoryServer } from '../../../../src/servers/memory/index.ts'
import { memoryRoom, owner, type Answer, type Room } from './room.ts'

const timeout = 60_000

/** Names that clients know; there may be more. */
const NAMES = [
  'store_memory search_memories recall_by_context deep_recall get_memory list_memories update_memory delete_memory',
  'memory_stats regenerate_embeddings dream get_context update_context_section add_context_section list_context_sections',
  'delete_context_section create_schedule list_schedules update_schedule check_notifications create_notification',
  'dismiss_notification dismiss_all_notifications notification_settings',
]
  .join(' ')
  .split(' ')

/** A room in which id 1 of everything exists. */
async function furnished(t: Parameters<typeof memoryRoom>[0]): Promise<Room> {
  const room = await memoryRoom(t)
  await room.store({ content: 'Ana prefers short answers.', category: 'preference' })
  await room.call('create_schedule', { task: 'x', cron_expression: '@daily' })
  await room.call('create_notification', { title: 'x' })
  await room.call('add_context_section', { section_key: 'travel_rules', section_title: 'Travel', content: 'x' })
  return room
}

test('the server offers every tool that clients rely on, under its public name', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const listed = new Set(
    room.catalog
      .server('memory')
      ?.listTools(owner)
      .map(({ name }) => name),
  )
  assert.deepEqual(
    NAMES.filter((name) => !listed.has(`crow_${name}`)),
    [],
  )
  for (const name of NAMES)
    assert.notEqual((await room.call(`crow_${name}`, {})).text.includes('unknown-tool'), true, name)
})

test('summaries are at most six words, and every tool has examples', { timeout }, () => {
  for (const tool of memoryServer.tools) {
    assert.ok(tool.summary.split(' ').length <= 6, tool.name)
    assert.ok((tool.examples?.length ?? 0) > 0, tool.name)
    assert.ok(tool.description.length <= 360, `${tool.name} ${tool.description.length}`)
  }
})

test('every example runs', { timeout }, async (t) => {
  for (const tool of memoryServer.tools) {
    for (const example of tool.examples ?? []) {
      const room = await furnished(t)
      if (tool.name === 'add_context_section')
        await room.confirm('delete_context_section', { section_key: 'travel_rules' })
      const answer =
        tool.effect === 'destroy' ? await room.confirm(tool.name, example) : await room.call(tool.name, example)
      assert.equal(answer.isError, false, `${tool.name} ${JSON.stringify(example)}: ${answer.text}`)
      await room.close()
    }
  }
})

const withoutAccess = (rows: string): string => rows.replaceAll(/"(accessed_at|access_count)":\w+/g, '')

test('what only reads leaves every row as it was', { timeout }, async (t) => {
  const room = await furnished(t)
  const dump = (): string =>
    JSON.stringify(['memories', 'memory_tags', 'context_sections', 'schedules', 'notifications', 'settings'].map(rows))
  const rows = (table: string): unknown[] => room.db.sqlite.prepare(`SELECT * FROM ${table}`).all()
  const before = withoutAccess(dump())
  for (const tool of memoryServer.tools.filter(({ effect }) => effect === 'read')) {
    for (const example of tool.examples ?? []) await room.call(tool.name, example)
  }
  await flushAccess(room.db)
  assert.equal(withoutAccess(dump()), before)
})

/** How a call ended, whatever it said. */
const endOf = ({ text, isError }: Answer): object => ({ isError, code: /code="\w+"/.exec(text)?.[0] })

test('null, and an empty string, for any optional field is the same as leaving it out', { timeout }, async (t) => {
  const room = await furnished(t)
  for (const tool of room.catalog.server('memory')?.listTools(owner) ?? []) {
    const { properties = {}, required = [] }: Schema = tool.inputSchema
    const optional = Object.keys(properties).filter((name) => !required.includes(name) && name !== 'confirm_token')
    const needed = Object.fromEntries(
      Object.entries(memoryServer.tools.find(({ name }) => `crow_${name}` === tool.name)?.examples?.[0] ?? {}).filter(
        ([name]) => required.includes(name),
      ),
    )
    const plain = await room.call(tool.name, needed)
    const nulls = await room.call(tool.name, { ...needed, ...Object.fromEntries(optional.map((name) => [name, null])) })
    const texts = optional.filter((name) => properties[name]?.type === 'string')
    const blanks = await room.call(tool.name, { ...needed, ...Object.fromEntries(texts.map((name) => [name, ''])) })
    assert.deepEqual([nulls, blanks].map(endOf), [plain, plain].map(endOf), tool.name)
  }
})

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly pattern?: string
  readonly format?: string
}

/** Keys that would change what an object is are refused everywhere, and no schema can say so. */
const plainJson = fc
  .jsonValue({ maxDepth: 1 })
  .filter((value) => !/"(?:__proto__|constructor|prototype)"/.test(JSON.stringify(value)))

/** Values that a published schema allows. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valueOf))
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) })
  if (schema.type === 'array')
    return fc.array(valueOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 })
  if (schema.type === 'string') return textOf(schema)
  return fc.dictionary(fc.string({ maxLength: 5 }), plainJson, { maxKeys: 3 })
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.pattern !== undefined) return fc.constantFrom('https://example.org/x', '/inside')
  if (schema.format === 'date') return fc.constant('2026-01-31')
  if (schema.format === 'date-time') return fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+02:00')
  return fc
    .string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 60) })
    .filter((text) => !text.includes('\u0000') && text.isWellFormed())
}

/** Minimal arguments, all of them, or the required ones and any choice of others. */
function argumentsOf(schema: Schema): fc.Arbitrary<object> {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'confirm_token' && name !== 'more')
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, valueOf(field)])), {
    requiredKeys: [...(schema.required ?? [])].filter((name) => name !== 'confirm_token'),
  })
}

test('arguments that a schema allows are never refused for their shape', { timeout }, async (t) => {
  const room = await furnished(t)
  const refused = /VALIDATION_ERROR|MISSING_REQUIRED_FIELD|INTERNAL_ERROR/
  /** Conditions that no schema can say; each is in the description of its tool or field. */
  const said = /cron expression|Nothing to change|cursor does not belong|set needs types_enabled|cursor/
  for (const tool of room.catalog.server('memory')?.tools ?? []) {
    await fc.assert(
      fc.asyncProperty(argumentsOf(tool.inputSchema), async (params) => {
        const { text, isError } = await room.call(tool.name, params)
        if (isError && !said.test(text)) assert.doesNotMatch(text, refused, `${tool.name} ${JSON.stringify(params)}`)
      }),
      { numRuns: 25 },
    )
  }
  assert.deepEqual(room.indexProblems(), [])
})

test('a key that no schema knows is refused with the nearest that it does', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const answer = await room.call('store_memory', { content: 'x', importence: 9 })
  assert.match(answer.text, /VALIDATION_ERROR[\s\S]*importence[\s\S]*importance/)
  assert.match((await room.call('list_memories')).text, /No memory matches/)
})
