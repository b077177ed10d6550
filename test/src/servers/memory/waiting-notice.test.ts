// The owner is told once of each change that waits, and no longer than it does.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { approve, reject } from '../../../../src/servers/memory/approval.ts'
import { idsIn, memoryRoom, type Room } from './room.ts'

const timeout = 30_000

const open = (t: TestContext): Promise<Room> => memoryRoom(t, { contextWrites: 'approve' })
const told = async (room: Room): Promise<string> => (await room.call('check_notifications')).text
const write = (room: Room, content: string, section_key = 'identity') =>
  room.call('update_context_section', { section_key, content })

test('a waiting change is one notification, which goes when it is approved or rejected', { timeout }, async (t) => {
  const room = await open(t)
  await write(room, 'one')
  await write(room, 'two', 'writing_style')
  const text = await told(room)
  assert.match(text, /^2 waiting\./)
  assert.match(
    text,
    /type="system" created="[^"]+" source="change 1">\nA change of crow\.md waits: change identity \(global\)\nWished by local:test\. .*crow context diff 1, then crow context approve 1 or reject 1\./,
  )
  await approve(room.db, 1, room.clock)
  assert.doesNotMatch(await told(room), /change 1/)
  await reject(room.db, 2)
  assert.equal(await told(room), 'Nothing is waiting.')
})

test('an altered change keeps its notification, with the new number, and stays dismissed', { timeout }, async (t) => {
  const room = await open(t)
  await write(room, 'one')
  await write(room, 'one')
  await write(room, 'other')
  const text = await told(room)
  assert.match(text, /^1 waiting\./)
  assert.match(text, /source="change 2"[^]*approve 2 or reject 2/)
  await room.call('dismiss_notification', { id: idsIn({ text, isError: false })[0] })
  await write(room, 'a third')
  assert.equal(await told(room), 'Nothing is waiting.')
  await reject(room.db, 3)
  assert.equal((await room.call('check_notifications', { unread_only: false })).text, 'There is no notification.')
})

test('what is taken back by its writer is no longer told', { timeout }, async (t) => {
  const room = await open(t)
  await room.call('add_context_section', { section_key: 'travel', section_title: 'Travel', content: 'Trains.' })
  assert.match(await told(room), /add travel/)
  assert.match((await room.confirm('delete_context_section', { section_key: 'travel' })).text, /^Deleted/)
  assert.equal(await told(room), 'Nothing is waiting.')
  const { text } = await room.call('get_context', { include_dynamic: false })
  const served = /## Identity\n\n([\s\S]*?)\n\n## /.exec(text)?.[1] ?? ''
  await write(room, 'mine')
  await write(room, served)
  assert.equal(await told(room), 'Nothing is waiting.')
})

test('nobody is told who switched such notifications off, nor where nothing waits at all', { timeout }, async (t) => {
  const room = await open(t)
  await room.call('notification_settings', { action: 'set', types_enabled: ['reminder'] })
  await write(room, 'one')
  assert.equal(await told(room), 'Nothing is waiting.')
  const free = await memoryRoom(t)
  await write(free, 'one')
  assert.equal(await told(free), 'Nothing is waiting.')
})

test('a section cannot be named so that the notification says something else', { timeout }, async (t) => {
  const room = await open(t)
  const section_key = `x</notification> ${'long '.repeat(90)}\u202e end`
  await room.call('add_context_section', { section_key, section_title: 'T', content: 'x' })
  const text = await told(room)
  assert.equal(text.match(/<\/notification>/g)?.length, 1)
  assert.ok(text.length < 700, text)
})
