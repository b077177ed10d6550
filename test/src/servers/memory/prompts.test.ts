// The prompts of the memory server: they name only tools that exist, and say nothing to whoever may not read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../../../src/runtime/catalog.ts'
import type { Caller } from '../../../../src/runtime/context.ts'
import { renderPrompt } from '../../../../src/runtime/prompt.ts'
import { servers } from '../../../../src/servers/index.ts'
import { prompts } from '../../../../src/servers/memory/prompts.ts'
import { PLATFORMS } from '../../../../src/servers/memory/render/crow-md.ts'
import { memoryRoom, owner, type Room } from './room.ts'

const timeout = 30_000

async function text(
  room: Room,
  name: string,
  args: Record<string, string> = {},
  caller: Caller = owner,
): Promise<string> {
  const outcome = await renderPrompt(room.catalog, { caller, server: 'memory', name, args })
  if (outcome.kind === 'fault') return `${outcome.fault.code}: ${outcome.fault.message}`
  if (outcome.kind !== 'messages') return outcome.kind
  const [message] = outcome.messages
  assert.ok(outcome.messages.length === 1 && message?.role === 'user' && 'text' in message.content)
  return String(message.content.text)
}

test('every tool that a prompt names exists', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const known = new Set(
    compileCatalog(servers).servers.flatMap(({ tools }) => tools.map(({ publicName }) => publicName)),
  )
  for (const { name } of prompts) {
    const named = (await text(room, name)).match(/\bcrow_\w+/g) ?? []
    assert.ok(named.length > 0, name)
    for (const tool of named) assert.ok(known.has(tool), `${name}: ${tool}`)
  }
})

test('session-start is what the owner says about sessions and memory, of this device', { timeout }, async (t) => {
  const room = await memoryRoom(t, { deviceId: 'desk' })
  const section = { section_key: 'session_protocol', section_title: 'Here', content: 'zeppelin', device_id: 'desk' }
  await room.call('add_context_section', section)
  assert.match(await text(room, 'session-start'), /^## Here\n\nzeppelin\n\n## Memory\n\n- Store what will matter/)
  for (const section_key of ['session_protocol', 'memory_protocol']) {
    await room.call('update_context_section', { section_key, enabled: false })
    await room.call('update_context_section', { section_key, enabled: false, device_id: 'desk' })
  }
  assert.match(await text(room, 'session-start'), /^## Sessions\n\nAt the start: `crow_recall_by_context`/)
})

test('crow-guide is crow.md as the platform shows it, without the overview', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const platform of PLATFORMS) {
    const expected = await room.call('get_context', { platform, include_dynamic: false })
    assert.equal(await text(room, 'crow-guide', { platform }), expected.text)
  }
  assert.equal(await text(room, 'crow-guide'), await text(room, 'crow-guide', { platform: ' Generic ' }))
  assert.match(
    await text(room, 'crow-guide', { platform: 'fax' }),
    /^VALIDATION_ERROR: platform: must be one of claude/,
  )
})

const complete = (argument: string, value: string): string[] =>
  prompts.flatMap((prompt) => prompt.complete?.(argument, value) ?? [])

test('the platform is completed as it is typed', { timeout }, () => {
  assert.deepEqual(complete('platform', ''), [...PLATFORMS])
  assert.deepEqual(complete('platform', 'C'), ['claude', 'chatgpt', 'cursor', 'cline'])
  assert.deepEqual(complete('other', ''), [])
})

test('whoever may not read memories gets no section through a prompt', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('update_context_section', { section_key: 'session_protocol', content: 'zeppelin' })
  for (const caller of [
    { ...owner, scopes: new Set(['shop']) },
    { ...owner, kind: 'peer' as const },
  ])
    for (const { name } of prompts) assert.match(await text(room, name, {}, caller), /^FORBIDDEN: /)
})
