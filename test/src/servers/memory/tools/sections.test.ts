// crow.md and its sections, through the runtime on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROTECTED_KEYS } from '../../../../../src/servers/memory/policy/sections.ts'
import { seedSections } from '../../../../../src/servers/memory/seed-sections.ts'
import { memoryRoom } from '../room.ts'

const timeout = 30_000

const headings = (text: string): string[] => Array.from(text.matchAll(/^## (.+)$/gm), (match) => match[1] ?? '')

test('a new installation has its sections, in order, and the same text each time', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const first = await room.call('get_context')
  room.clock.advance(86_400_000)
  assert.deepEqual(await room.call('get_context'), first)
  assert.deepEqual(headings(first.text), [
    'Identity',
    'Memory',
    'Research',
    'Sessions',
    'Transparency',
    'What to use when',
    'Writing style',
    'Principles',
    'Memory right now',
  ])
  assert.match(first.text, /Nothing is stored yet\.\n$/)
})

test('seeding again adds only what is absent and touches nothing', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('update_context_section', { section_key: 'identity', content: 'my own words', enabled: false })
  assert.equal(await seedSections(room.db, room.clock), 0)
  assert.equal(
    room.db.sqlite.prepare('DELETE FROM context_sections WHERE section_key = ?').run('writing_style').changes,
    1,
  )
  const both = await Promise.all([seedSections(room.db, room.clock), seedSections(room.db, room.clock)])
  assert.deepEqual(new Set(both), new Set([0, 1]))
  const { text } = await room.call('list_context_sections')
  assert.match(text, /identity \[protected\] global "Identity" order 0 disabled/)
  assert.equal(text.match(/\[protected\]/g)?.length, PROTECTED_KEYS.size)
})

test('no key can pass for another one, and none is invisible', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const section_key of [' identity', 'identity ', 'identity\n', 'a\nb', '   ']) {
    const answer = await room.call('add_context_section', { section_key, section_title: 'x', content: 'x' })
    assert.match(answer.text, /section_key: must be one line/)
  }
  const blank = { section_key: 'mine', section_title: ' ', content: '\n' }
  assert.match(
    (await room.call('add_context_section', blank)).text,
    /section_title: must not be blank\ncontent: must not/,
  )
})

test(
  'built-in sections can be edited and switched off, but neither deleted nor added globally',
  { timeout },
  async (t) => {
    const room = await memoryRoom(t)
    for (const section_key of PROTECTED_KEYS) {
      assert.match((await room.call('delete_context_section', { section_key })).text, /CONFLICT[\s\S]*enabled: false/)
      const added = await room.call('add_context_section', { section_key, section_title: 'x', content: 'x' })
      assert.match(added.text, /CONFLICT[\s\S]*built in/)
    }
    await room.call('update_context_section', { section_key: 'identity', content: 'I am new', section_title: 'Who' })
    await room.call('update_context_section', { section_key: 'key_principles', enabled: false })
    const { text } = await room.call('get_context', { include_dynamic: false })
    assert.match(text, /^# crow\.md\n\n## Who\n\nI am new\n/)
    assert.equal(headings(text).includes('Principles'), false)
  },
)

test(
  'overrides: both scopes beat the project, the project the device, the device the global text',
  { timeout },
  async (t) => {
    const room = await memoryRoom(t)
    const add = (content: string, scope: object) =>
      room.call('add_context_section', { section_key: 'identity', section_title: content, content, ...scope })
    await add('device', { device_id: 'phone' })
    await add('project', { project_id: 1 })
    await add('both', { device_id: 'phone', project_id: 1 })
    const first = async (scope: object): Promise<string | undefined> =>
      headings((await room.call('get_context', scope)).text)[0]
    assert.equal(await first({}), 'Identity')
    assert.equal(await first({ device_id: 'phone' }), 'device')
    assert.equal(await first({ project_id: 1 }), 'project')
    assert.equal(await first({ device_id: 'phone', project_id: 1 }), 'both')
    assert.equal(await first({ device_id: 'tv', project_id: 2 }), 'Identity')
  },
)

test('an override takes the place of what it overrides; a key of its own comes last', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('add_context_section', {
    section_key: 'identity',
    section_title: 'Here',
    content: 'x',
    device_id: 'phone',
  })
  await room.call('add_context_section', {
    section_key: 'travel',
    section_title: 'Travel',
    content: 'x',
    device_id: 'phone',
  })
  await room.call('add_context_section', {
    section_key: 'first',
    section_title: 'First',
    content: 'x',
    sort_order: -5,
    device_id: 'phone',
  })
  const shown = headings((await room.call('get_context', { device_id: 'phone', include_dynamic: false })).text)
  assert.deepEqual([shown[0], shown[1], shown.at(-1)], ['First', 'Here', 'Travel'])
  assert.equal(headings((await room.call('get_context')).text).includes('Travel'), false)
})

test('the device of the installation applies when a caller names none', { timeout }, async (t) => {
  const room = await memoryRoom(t, { deviceId: 'desk' })
  await room.call('add_context_section', {
    section_key: 'identity',
    section_title: 'Desk',
    content: 'x',
    device_id: 'desk',
  })
  assert.equal(headings((await room.call('get_context')).text)[0], 'Desk')
  assert.equal(headings((await room.call('get_context', { device_id: 'phone' })).text)[0], 'Identity')
})

test('a scope has each key once; every scope is changed and deleted by itself', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const scopes = [{}, { device_id: 'd' }, { project_id: 1 }, { device_id: 'd', project_id: 1 }]
  for (const scope of scopes) {
    const section = { section_key: 'notes', section_title: 'Notes', content: JSON.stringify(scope), ...scope }
    assert.match((await room.call('add_context_section', section)).text, /^Added: section notes/)
    assert.match((await room.call('add_context_section', section)).text, /CONFLICT[\s\S]*crow_update_context_section/)
  }
  await room.call('update_context_section', { section_key: 'notes', content: 'zeppelin', project_id: 1 })
  assert.match((await room.call('get_context', { project_id: 1 })).text, /zeppelin/)
  assert.doesNotMatch((await room.call('get_context', { device_id: 'd', project_id: 1 })).text, /zeppelin/)
  for (const scope of scopes) {
    assert.match(
      (await room.confirm('delete_context_section', { section_key: 'notes', ...scope })).text,
      /^Deleted: section notes/,
    )
    assert.match((await room.call('delete_context_section', { section_key: 'notes', ...scope })).text, /NOT_FOUND/)
  }
})

test('a disabled override hides its key in that scope only', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('add_context_section', { section_key: 'identity', section_title: 'x', content: 'x', device_id: 'tv' })
  await room.call('update_context_section', { section_key: 'identity', enabled: false, device_id: 'tv' })
  assert.equal(headings((await room.call('get_context', { device_id: 'tv' })).text).includes('Identity'), false)
  assert.equal(headings((await room.call('get_context')).text)[0], 'Identity')
})

test('the overview shows preferences and important memories of the scope, fenced', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'Ana likes chamomile', category: 'preference', importance: 8 })
  await room.store({ content: 'Minor thing', category: 'preference', importance: 3 })
  await room.store({ content: 'We chose SQLite</memory>', category: 'decision', importance: 9, project_id: 2 })
  const all = (await room.call('get_context')).text
  assert.match(all, /3 stored, by category: "preference" 2, "decision" 1\./)
  assert.match(all, /<memory id="1">Ana likes chamomile<\/memory>/)
  assert.match(all, /<memory id="3" category="decision">We chose SQLite&lt;\/memory><\/memory>/)
  assert.doesNotMatch(all, /Minor thing/)
  const scoped = (await room.call('get_context', { project_id: 2 })).text
  assert.match(scoped, /1 stored, by category: "decision" 1\./)
  assert.doesNotMatch(scoped, /chamomile/)
})

test('a cursor walks the sections in the order of crow.md', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 5; index += 1) {
    await room.call('add_context_section', {
      section_key: `own_${index}`,
      section_title: 'x',
      content: 'x',
      sort_order: 30,
    })
  }
  const keys: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 20; page += 1) {
    const { text } = await room.call('list_context_sections', { limit: 3, cursor: cursor ?? null })
    keys.push(...Array.from(text.matchAll(/^- (\w+)/gm), (match) => match[1] ?? ''))
    cursor = /next_cursor: (\S+)/.exec(text)?.[1]
    if (cursor === undefined) break
  }
  assert.equal(keys.length, PROTECTED_KEYS.size + 5)
  assert.equal(new Set(keys).size, keys.length)
  assert.deepEqual(keys.slice(3, 9), ['session_protocol', 'own_0', 'own_1', 'own_2', 'own_3', 'own_4'])
})

test('an update without a field and one of an unknown platform are refused', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  assert.match((await room.call('update_context_section', { section_key: 'identity' })).text, /Nothing to change/)
  assert.match((await room.call('get_context', { platform: 'fax' })).text, /VALIDATION_ERROR[\s\S]*platform/)
})
