// The two resources, and that subscribers hear of a change once it is one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../../../src/runtime/bus.ts'
import { readResource } from '../../../../src/runtime/read.ts'
import { flushAccess } from '../../../../src/servers/memory/access.ts'
import { createResourceLook, startResourceWatch } from '../../../../src/servers/memory/resource-watch.ts'
import { memoryRoom, owner, type Room } from './room.ts'

const timeout = 30_000

async function read(room: Room, uri: string): Promise<unknown> {
  return readResource(room.catalog, { caller: owner, server: 'memory', uri })
}

/** Collects the URIs that were announced; `next` resolves with the first one after its call. */
function listen(t: { after(end: () => void): void }, room: Room): { seen: string[]; next(): Promise<string> } {
  const seen: string[] = []
  let waiting: ((uri: string) => void) | undefined
  const off = room.bus.on((change: Change) => {
    if (change.kind !== 'resource') return
    seen.push(change.uri)
    waiting?.(change.uri)
  })
  const stop = startResourceWatch({ db: room.db, bus: room.bus, deviceId: null, log: room.log, everyMs: 10 })
  t.after(off)
  t.after(stop)
  return { seen, next: () => new Promise((resolve) => (waiting = resolve)) }
}

test('crow.md and the categories can be read as resources', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'a', category: 'person' })
  await room.store({ content: 'b' })
  await room.store({ content: 'c' })
  const categories = JSON.stringify([
    { category: 'general', count: 2 },
    { category: 'person', count: 1 },
  ])
  assert.deepEqual(await read(room, 'memory://categories'), {
    kind: 'contents',
    contents: [{ uri: 'memory://categories', mimeType: 'application/json', text: categories }],
  })
  const text = (await room.call('get_context')).text
  assert.deepEqual(await read(room, 'crow://context'), {
    kind: 'contents',
    contents: [{ uri: 'crow://context', mimeType: 'text/markdown', text }],
  })
})

test('a change is announced for the resources that read differently, and only those', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'a' })
  const heard = listen(t, room)
  const first = heard.next()
  await room.call('update_context_section', { section_key: 'identity', content: 'new' })
  assert.equal(await first, 'crow://context')
  assert.deepEqual(heard.seen, ['crow://context'])
  const second = heard.next()
  await room.store({ content: 'b' })
  await second
  assert.deepEqual(new Set(heard.seen.slice(1)), new Set(['crow://context', 'memory://categories']))
})

test('writes that change no resource are not announced', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'a' })
  const look = createResourceLook({ db: room.db, deviceId: null })
  await room.call('get_memory', { id: 1 })
  await flushAccess(room.db)
  await room.call('create_notification', { title: 'x' })
  await room.call('update_memory', { id: 1, content: 'b' })
  assert.deepEqual(look(), [])
  await room.store({ content: 'c' })
  assert.deepEqual(look(), ['crow://context', 'memory://categories'])
  assert.deepEqual(look(), [])
})

test('what another process changes is announced too', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const other = await memoryRoom(t, { dataDir: room.db.path.slice(0, -'/crow.db'.length) })
  const heard = listen(t, room)
  const next = heard.next()
  await other.store({ content: 'from elsewhere' })
  await next
  assert.ok(heard.seen.length > 0)
})
