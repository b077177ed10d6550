// What clients are told when they connect: honest, short, current, and naming only what is there.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { compileCatalog, type Catalog } from '../../../../src/runtime/catalog.ts'
import type { Caller } from '../../../../src/runtime/context.ts'
import { defineServer, type ServerDefinition } from '../../../../src/runtime/server.ts'
import { defineTool } from '../../../../src/runtime/tool.ts'
import { createToolIndex } from '../../../../src/search/tool-index.ts'
import { servers } from '../../../../src/servers/index.ts'
import { approve } from '../../../../src/servers/memory/approval.ts'
import { createInstructions } from '../../../../src/servers/memory/instructions.ts'
import { createResourceLook } from '../../../../src/servers/memory/resource-watch.ts'
import { INSTRUCTIONS_CHARS_MAX } from '../../../../src/servers/memory/render/instructions.ts'
import { surface } from '../../../fixtures/surface/index.ts'
import { memoryRoom, owner, type Room, type RoomOptions } from './room.ts'

const timeout = 30_000

const reader: Caller = { id: 'oauth:1', kind: 'oauth', scopes: new Set(['memory:read']) }
const stranger: Caller = { id: 'oauth:2', kind: 'oauth', scopes: new Set(['shop']) }
const peer: Caller = { id: 'peer:1', kind: 'peer', scopes: 'all' }

const shop = defineServer({
  id: 'shop',
  summary: 'Buy things.',
  peers: true,
  tools: [
    defineTool({
      name: 'list_goods',
      summary: 'List goods',
      description: 'List goods.',
      effect: 'read',
      handle: () => 'x',
    }),
  ],
})
interface Told {
  readonly db: Room['db']
  readonly clock: Room['clock']
  readonly log: Room['log']
  readonly declared: Catalog
  readonly tell: (id: string, caller?: Caller, client?: { deviceId?: string; projectId?: number }) => string
  /** Calls a tool as the owner. */
  readonly write: (tool: string, params: object) => Promise<unknown>
}

async function told(
  t: TestContext,
  options: RoomOptions = {},
  definitions: readonly ServerDefinition[] = [...servers, shop],
): Promise<Told> {
  const room = await memoryRoom(t, options)
  const declared = compileCatalog(definitions, { router: { makeIndex: createToolIndex } })
  const { db, bus, log } = room
  const of = createInstructions({ db, bus, log, deviceId: options.deviceId ?? null, catalog: () => declared })
  return {
    db,
    log,
    clock: room.clock,
    declared,
    write: (tool, params) => room.call(tool, params),
    tell: (id, caller = owner, client = {}) => {
      const served = declared.server(id)
      if (served === undefined) throw new Error(id)
      return of(served, caller, client) ?? ''
    },
  }
}

/** Every tool named, as `tool` or `tool action`. */
const namesIn = (text: string): string[] => text.match(/\bcrow_\w+(?: [a-z]+(?:_[a-z]+)+)?/g) ?? []

test('every tool that is named is there, in both styles, for every kind of caller', { timeout }, async (t) => {
  const { tell, declared } = await told(t)
  for (const caller of [owner, reader, stranger, peer]) {
    for (const { id } of declared.servers) {
      const text = tell(id, caller)
      assert.ok(text.length > 0 && text.length <= INSTRUCTIONS_CHARS_MAX, `${id}: ${text.length}`)
      assert.equal(text, tell(id, caller))
      const server = declared.server(id)
      const shown = new Set(server?.listTools(caller).map(({ name }) => name))
      for (const name of namesIn(text)) {
        const [tool = '', action] = name.split(' ')
        assert.ok(shown.has(tool), `${id}: ${name}`)
        if (action !== undefined)
          assert.ok(server?.group(tool)?.find({ action }, caller) !== undefined, `${id}: ${name}`)
      }
    }
  }
  assert.deepEqual(
    new Set(namesIn(tell('memory')).slice(0, 2)),
    new Set(['crow_recall_by_context', 'crow_check_notifications']),
  )
  assert.ok(namesIn(tell('router')).includes('crow_memory recall_by_context'))
})

test('all five essential sections are in it, and about a kilobyte is enough', { timeout }, async (t) => {
  const { tell } = await told(t)
  for (const id of ['memory', 'router']) {
    const text = tell(id)
    for (const title of ['Identity', 'Sessions', 'Memory', 'Transparency', 'What to use when'])
      assert.match(text, new RegExp(`^${title}: `, 'm'))
    assert.match(text, /Categories: general, project/)
    assert.match(text, /Importance: 9-10/)
    assert.ok(text.length < 1600, `${id}: ${text.length}`)
  }
  assert.match(tell('router'), /^- `crow_memory`: Memory shared/m)
  assert.match(tell('router'), /^- `crow_shop`: Buy things\.$/m)
  assert.match(tell('memory'), /^Here: Memory shared/m)
})

test('a full installation fits: every category is named, and nothing is cut off', { timeout }, async (t) => {
  const { tell, declared } = await told(t, {}, surface)
  const text = tell('router')
  assert.ok(text.length <= INSTRUCTIONS_CHARS_MAX, String(text.length))
  const router = declared.server('router')
  const parts = router?.parts.filter(({ tools }) => tools.length > 0) ?? []
  for (const { id } of parts) assert.match(text, new RegExp(`^- \`crow_${id}\`: `, 'm'))
  assert.match(text, /All of this in full: `crow_memory get_context`\.$/)
})

test(
  'what the owner wrote is told in their words, cut at a sentence, and never over the cap',
  { timeout },
  async (t) => {
    const { tell, write } = await told(t)
    const update = (section_key: string, change: object) => write('update_context_section', { section_key, ...change })
    await update('identity', { section_title: 'Who', content: '- I am **Ana**\n- I live in Madrid' })
    assert.match(tell('memory'), /^Who: I am \*\*Ana\*\*\. I live in Madrid\.\n/)
    await update('identity', { content: 'One sentence. '.repeat(200) })
    assert.match(tell('memory'), /^Who: (One sentence\. )+…\n/)
    await update('identity', { content: 'x'.repeat(5000) })
    assert.match(tell('memory'), /^Who: x+…\n/)
    for (const section_key of ['session_protocol', 'memory_protocol', 'transparency_rules', 'skills_reference'])
      await update(section_key, { content: '語'.repeat(9000), section_title: 'T'.repeat(500) })
    for (const id of ['memory', 'router']) assert.ok(tell(id).length <= INSTRUCTIONS_CHARS_MAX)
    await update('identity', { enabled: false })
    assert.doesNotMatch(tell('memory'), /^Who/m)
  },
)

test('a sentence that names a tool that is not there is left out, the others stay', { timeout }, async (t) => {
  const { tell, write } = await told(t)
  const content =
    'First call crow_fly_to_moon. Then `crow_recall_by_context`. Set device_id yourself. Try crow_list_goods.'
  await write('update_context_section', { section_key: 'session_protocol', content })
  assert.match(tell('memory'), /^Sessions: Then `crow_recall_by_context`\. Set device_id yourself\.$/m)
  assert.match(
    tell('router'),
    /Then `crow_memory recall_by_context`\. Set device_id yourself\. Try crow_shop list_goods\.$/m,
  )
})

test('only who may read memories is told what sections say; other instances never are', { timeout }, async (t) => {
  const { tell, write } = await told(t)
  for (const section_key of [
    'identity',
    'session_protocol',
    'memory_protocol',
    'transparency_rules',
    'skills_reference',
  ])
    await write('update_context_section', { section_key, section_title: 'Private', content: 'zeppelin' })
  for (const id of ['memory', 'router', 'shop']) {
    for (const caller of [owner, reader]) assert.match(tell(id, caller), /zeppelin/)
    for (const caller of [stranger, peer, { ...peer, scopes: new Set(['memory', 'memory:read']) }])
      assert.doesNotMatch(tell(id, caller), /zeppelin|Private/)
  }
})

test('a change is told to the next client, whoever made it, and not before it is approved', { timeout }, async (t) => {
  const { tell, db, write, clock, deviceRoom } = await withSecond(t)
  const before = tell('memory')
  await write('update_context_section', { section_key: 'identity', content: 'zeppelin' })
  assert.equal(tell('memory'), before)
  await approve(db, 1, clock)
  assert.match(tell('memory'), /^Identity: zeppelin/)
  const look = createResourceLook({ db, deviceId: null })
  await deviceRoom.call('update_context_section', { section_key: 'identity', content: 'balloon' })
  look()
  assert.match(tell('memory'), /^Identity: balloon/)
})

/** With another process on the same data folder, in which nothing waits. */
async function withSecond(t: TestContext) {
  const room = await told(t, { contextWrites: 'approve' })
  const dataDir = room.db.path.slice(0, -'/crow.db'.length)
  return { ...room, deviceRoom: await memoryRoom(t, { dataDir }) }
}

test('overrides of the device and of the project apply', { timeout }, async (t) => {
  const { tell, write } = await told(t, { deviceId: 'desk' })
  const add = (content: string, scope: object) =>
    write('add_context_section', { section_key: 'identity', section_title: 'Identity', content, ...scope })
  await add('at the desk', { device_id: 'desk' })
  await add('on the phone', { device_id: 'phone' })
  await add('in the project', { project_id: 7 })
  assert.match(tell('memory'), /^Identity: at the desk/)
  assert.match(tell('memory', owner, { deviceId: 'phone' }), /^Identity: on the phone/)
  assert.match(tell('memory', owner, { projectId: 7 }), /^Identity: in the project/)
})

test('no query runs for a text that is kept', { timeout }, async (t) => {
  const { tell, db, write } = await told(t)
  const first = tell('memory')
  db.sqlite.prepare("UPDATE context_sections SET content = 'unheard'").run()
  for (let again = 0; again < 3; again++) assert.equal(tell('memory'), first)
  await write('update_context_section', { section_key: 'identity', content: 'heard' })
  assert.match(tell('memory'), /^Identity: heard/)
})

test(
  'where the table cannot be read, clients are told the static text, and the log says why',
  { timeout },
  async (t) => {
    const { tell, db, log } = await told(t)
    db.sqlite.prepare('ALTER TABLE context_sections RENAME TO elsewhere').run()
    const text = tell('memory')
    assert.match(text, /Crow keeps one memory for all AI clients/)
    assert.match(text, /crow_recall_by_context/)
    assert.equal(log.entries.filter(({ level }) => level === 'warn').length, 1)
    db.sqlite.prepare('ALTER TABLE elsewhere RENAME TO context_sections').run()
    assert.match(tell('memory'), /You work with a person/)
  },
)

test('what a server says about itself comes first', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const own = defineServer({ id: 'echo', summary: 'Echo.', instructions: 'Use echo.', tools: [] })
  const catalog = compileCatalog([own])
  const { db, bus, log } = room
  const of = createInstructions({ db, bus, log, deviceId: null, catalog: () => catalog })
  const [served] = catalog.servers
  assert.ok(served !== undefined)
  assert.match(of(served, owner) ?? '', /^Use echo\.\nIdentity: /)
})
