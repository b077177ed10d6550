// Notifications, through the runtime on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOTIFICATIONS_MAX } from '../../../../../src/servers/memory/queries/notifications.ts'
import { idsIn, memoryRoom, walk } from '../room.ts'

const timeout = 30_000
const MINUTE_MS = 60_000

test('what is created is shown whole, and looking marks nothing', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const created = await room.call('create_notification', {
    title: 'Call Ana',
    body: 'About the contract',
    type: 'peer',
    priority: 'high',
    action_url: 'https://example.org/?a=1&b="2"',
    metadata: { who: 'Ana' },
    expires_in_minutes: 60,
  })
  assert.equal(created.text, 'Created: id 1, type peer, priority high.')
  const shown = await room.call('check_notifications')
  assert.match(shown.text, /^1 waiting\./)
  assert.match(
    shown.text,
    /<notification id="1" priority="high" type="peer" created="2026-01-15T10:00Z" expires="2026-01-15T11:00Z"/,
  )
  assert.match(
    shown.text,
    /metadata="\{&quot;who&quot;:&quot;Ana&quot;\}">\nCall Ana\nAbout the contract\n<\/notification>/,
  )
  assert.deepEqual(await room.call('check_notifications'), shown)
})

test('the most urgent come first, then the newest, page by page', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const priority of ['low', 'high', 'normal', 'high', 'low', 'normal', 'normal']) {
    await room.call('create_notification', { title: priority, priority })
    room.clock.advance(1000)
  }
  assert.deepEqual(await walk(room, 'check_notifications', { limit: 2 }), [4, 2, 7, 6, 3, 5, 1])
})

test('a notification expires by itself', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_notification', { title: 'soon gone', expires_in_minutes: 5 })
  room.clock.advance(5 * MINUTE_MS - 1)
  assert.deepEqual(idsIn(await room.call('check_notifications')), [1])
  room.clock.advance(1)
  assert.equal((await room.call('check_notifications', { unread_only: false })).text, 'There is no notification.')
  assert.match((await room.call('dismiss_notification', { id: 1 })).text, /NOT_FOUND[\s\S]*expired/)
})

test('a snoozed notification comes back after its time, even when it would have expired', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_notification', { title: 'later', expires_in_minutes: 10 })
  assert.equal(
    (await room.call('dismiss_notification', { id: 1, snooze_minutes: 30 })).text,
    'Snoozed: id 1 comes back at 2026-01-15T10:30Z.',
  )
  assert.equal((await room.call('check_notifications')).text, 'Nothing is waiting.')
  assert.match(
    (await room.call('check_notifications', { unread_only: false })).text,
    /state="snoozed until 2026-01-15T10:30Z"/,
  )
  room.clock.advance(30 * MINUTE_MS)
  assert.deepEqual(idsIn(await room.call('check_notifications')), [1])
  await room.call('dismiss_notification', { id: 1 })
  assert.equal((await room.call('check_notifications')).text, 'Nothing is waiting.')
  assert.match((await room.call('check_notifications', { unread_only: false })).text, /state="dismissed"/)
})

test('all are dismissed, or only a type, or only those before a time', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_notification', { title: 'a', type: 'media' })
  room.clock.set('2026-01-16T00:00:00Z')
  await room.call('create_notification', { title: 'b' })
  room.clock.set('2026-01-16T09:00:00Z')
  await room.call('create_notification', { title: 'c' })
  const dismiss = async (params: object): Promise<string> => (await room.call('dismiss_all_notifications', params)).text
  assert.equal(await dismiss({ before: '2026-01-15' }), 'Dismissed 0 notifications.')
  assert.equal(await dismiss({ type: 'media', before: '2026-01-16' }), 'Dismissed 1 notification.')
  assert.equal(await dismiss({ before: '2026-01-16T10:00:00+02:00' }), 'Dismissed 1 notification.')
  assert.deepEqual(idsIn(await room.call('check_notifications')), [3])
  assert.equal(await dismiss({}), 'Dismissed 1 notification.')
  for (const before of ['yesterday', '2026-13-45', '12:00', '2026-01-16 09:00:00']) {
    assert.match(await dismiss({ before }), /VALIDATION_ERROR[\s\S]*before/, before)
  }
})

test('the count is that of the type asked for', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const type of ['media', 'peer', 'media']) await room.call('create_notification', { title: type, type })
  assert.match((await room.call('check_notifications', { type: 'media' })).text, /^2 of type "media" waiting\./)
  assert.match((await room.call('check_notifications')).text, /^3 waiting\./)
  const none = await room.call('check_notifications', { type: 'system' })
  assert.equal(none.text, 'Nothing of type "system" is waiting.')
})

test('a time that is not one is refused with an example of one', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const before of ['2026-02-30', '2026-01-31T12:00:00', 'yesterday']) {
    const answer = await room.call('dismiss_all_notifications', { before })
    assert.match(answer.text, /before: must be a time with its zone, like \S+Z or a date that exists, like 2026-01-31</)
  }
})

test('a type that is switched off is not made, and says so', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const settings = async (params: object): Promise<string> => (await room.call('notification_settings', params)).text
  assert.equal(await settings({ action: 'get' }), 'Every type of notification is on.')
  assert.equal(
    await settings({ action: 'set', types_enabled: ['media', 'media'] }),
    'On: "media". Every other type is off.',
  )
  assert.match(
    (await room.call('create_notification', { title: 'x' })).text,
    /^Not created: notifications of type "reminder" are switched off/,
  )
  assert.match((await room.call('create_notification', { title: 'x', type: 'media' })).text, /^Created/)
  assert.match(await settings({ action: 'set' }), /MISSING_REQUIRED_FIELD[\s\S]*types_enabled/)
  assert.equal(await settings({ action: 'set', types_enabled: [] }), 'No notification is made: every type is off.')
  assert.equal(await settings({ action: 'get' }), 'No notification is made: every type is off.')
})

test('only so many are kept: expired, dismissed and least urgent ones make room', { timeout: 60_000 }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_notification', { title: 'dismissed', priority: 'high' })
  await room.call('dismiss_notification', { id: 1 })
  await room.call('create_notification', { title: 'unimportant', priority: 'low' })
  await room.call('create_notification', { title: 'important', priority: 'high' })
  for (let made = 1; made < NOTIFICATIONS_MAX; made += 1) await room.call('create_notification', { title: 'filler' })
  const count = room.db.sqlite.prepare<[], { n: number }>('SELECT count(*) AS n FROM notifications').get()?.n
  assert.equal(count, NOTIFICATIONS_MAX)
  const kept = await walk(room, 'check_notifications', { unread_only: false, limit: 100 })
  assert.deepEqual([kept.includes(1), kept.includes(2), kept[0]], [false, false, 3])
})

test('what was just created is there, however urgent the rest is', { timeout: 60_000 }, async (t) => {
  const room = await memoryRoom(t)
  for (let made = 0; made < NOTIFICATIONS_MAX; made += 1)
    await room.call('create_notification', { title: 'urgent', priority: 'high' })
  const created = await room.call('create_notification', { title: 'by the way', priority: 'low' })
  const id = Number(/id (\d+)/.exec(created.text)?.[1])
  assert.equal((await room.call('dismiss_notification', { id })).text, `Dismissed: id ${id}.`)
  const count = room.db.sqlite.prepare<[], { n: number }>('SELECT count(*) AS n FROM notifications').get()?.n
  assert.equal(count, NOTIFICATIONS_MAX)
})

test('one that is due later appears then, once, whatever is dismissed before', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const reminder = { title: 'Take the bread out', due_in_minutes: 45, expires_in_minutes: 10 }
  assert.equal(
    (await room.call('create_notification', reminder)).text,
    'Created: id 1, type reminder, priority normal, appears at 2026-01-15T10:45Z.',
  )
  assert.equal((await room.call('check_notifications')).text, 'Nothing is waiting.')
  assert.match(
    (await room.call('check_notifications', { unread_only: false })).text,
    /id="1"[^>]* state="not due yet"[^>]* due="2026-01-15T10:45Z" expires="2026-01-15T10:55Z"/,
  )
  assert.equal((await room.call('dismiss_all_notifications')).text, 'Dismissed 0 notifications.')
  room.clock.advance(45 * MINUTE_MS)
  assert.deepEqual(idsIn(await room.call('check_notifications')), [1])
  assert.equal((await room.call('dismiss_all_notifications')).text, 'Dismissed 1 notification.')
})

test('links to scripts and oversized metadata are refused', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const action_url of [
    'javascript:alert(1)',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/\t/x',
    'https://',
    'data:,x',
  ]) {
    assert.match(
      (await room.call('create_notification', { title: 'x', action_url })).text,
      /VALIDATION_ERROR[\s\S]*action_url/,
    )
  }
  assert.match(
    (await room.call('create_notification', { title: 'x', metadata: { big: 'x'.repeat(6000) } })).text,
    /VALIDATION_ERROR[\s\S]*metadata/,
  )
  assert.match((await room.call('create_notification', { title: 'x', action_url: '/admin' })).text, /^Created/)
})
