// Schedules that fire: due times, catching up, several processes, changed clocks; on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEPT_MS } from '../../../../src/servers/memory/firing.ts'
import { createScheduler, startScheduler } from '../../../../src/servers/memory/scheduler.ts'
import { memoryRoom, type Room } from './room.ts'

const timeout = 30_000

const schedulerOf = (room: Room, timeZone = 'UTC', holder = 'one') =>
  createScheduler({ db: room.db, clock: room.clock, log: room.log, timeZone, holder })

/** Due times of all notifications, oldest first. */
function dueTimes(room: Room): string[] {
  return room.db.sqlite
    .prepare<[], { due_at: number }>('SELECT due_at FROM notifications WHERE due_at IS NOT NULL ORDER BY due_at')
    .all()
    .map((row) => new Date(row.due_at).toISOString().slice(0, 16))
}

test('whatever the task says, one notification appears when it is due', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const scheduler = schedulerOf(room)
  await room.call('create_schedule', {
    task: 'remind me to water the plants',
    cron_expression: '0 11 * * *',
    description: 'balcony',
  })
  await room.call('create_schedule', { task: 'pipeline: not special', cron_expression: '0 11 * * *' })
  room.clock.set('2026-01-15T10:59:59Z')
  await scheduler.tick()
  assert.equal((await room.call('check_notifications')).text, 'Nothing is waiting.')
  room.clock.set('2026-01-15T11:00:00Z')
  await scheduler.tick()
  await scheduler.tick()
  const { text } = await room.call('check_notifications')
  assert.match(text, /^2 waiting/)
  assert.match(
    text,
    /type="reminder" created="2026-01-15T11:00Z" due="2026-01-15T11:00Z" source="schedule 1">\nremind me to water the plants\nbalcony/,
  )
  assert.match((await room.call('list_schedules')).text, /next="2026-01-16T11:00Z" last="2026-01-15T11:00Z"/)
})

test('a long task is cut in the title and whole in the body', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const task = `start ${'word '.repeat(100)}end`
  await room.call('create_schedule', { task, cron_expression: '* * * * *' })
  room.clock.advance(60_000)
  await schedulerOf(room).tick()
  const row = room.db.sqlite.prepare<[], { title: string; body: string }>('SELECT title, body FROM notifications').get()
  assert.ok(row !== undefined && row.title.length <= 200 && row.title.endsWith('…'))
  assert.equal(row.body, task)
})

test('what was missed while nothing ran is caught up once', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'hourly', cron_expression: '0 * * * *' })
  room.clock.set('2026-01-18T10:30:00Z')
  const scheduler = schedulerOf(room)
  await scheduler.tick()
  await scheduler.tick()
  assert.deepEqual(dueTimes(room), ['2026-01-15T11:00'])
  assert.match((await room.call('list_schedules')).text, /next="2026-01-18T11:00Z"/)
})

for (const [timeZone, expression, from, expected] of [
  ['Europe/Madrid', '30 2 * * *', '2026-03-28T00:00:00Z', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
  ['Europe/Madrid', '30 2 * * *', '2026-10-24T00:00:00Z', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
  [
    'America/New_York',
    '30 2 * * *',
    '2026-03-07T00:00:00Z',
    ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30'],
  ],
  [
    'America/New_York',
    '30 1 * * *',
    '2026-10-31T00:00:00Z',
    ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30'],
  ],
] as const) {
  test(`each day has one run in ${timeZone} around ${from.slice(0, 10)}`, { timeout }, async (t) => {
    const room = await memoryRoom(t, { timeZone })
    const scheduler = schedulerOf(room, timeZone)
    room.clock.set(from)
    await room.call('create_schedule', { task: 'daily', cron_expression: expression })
    for (let minutes = 0; minutes < 3 * 24 * 60; minutes += 10) {
      room.clock.advance(10 * 60_000)
      await scheduler.tick()
    }
    assert.deepEqual(dueTimes(room), expected)
  })
}

test('two schedulers on one folder fire each due time exactly once', { timeout }, async (t) => {
  const first = await memoryRoom(t)
  const second = await memoryRoom(t, { dataDir: first.db.path.slice(0, -'/crow.db'.length), clock: first.clock })
  const schedulers = [schedulerOf(first, 'UTC', 'one'), schedulerOf(second, 'UTC', 'two')]
  for (let index = 0; index < 10; index += 1)
    await first.call('create_schedule', { task: `t${index}`, cron_expression: '* * * * *' })
  const expected: string[] = []
  for (let minute = 1; minute <= 20; minute += 1) {
    first.clock.advance(60_000)
    expected.push(...Array.from({ length: 10 }, () => new Date(first.clock.now()).toISOString().slice(0, 16)))
    await Promise.all(schedulers.map((scheduler) => scheduler.tick()))
  }
  assert.deepEqual(dueTimes(first), expected)
})

test('a process that has fired does not hold up what comes due next for another', { timeout }, async (t) => {
  const first = await memoryRoom(t)
  const second = await memoryRoom(t, { dataDir: first.db.path.slice(0, -'/crow.db'.length), clock: first.clock })
  await first.call('create_schedule', { task: 'one', cron_expression: '1 10 * * *' })
  await first.call('create_schedule', { task: 'two', cron_expression: '2 10 * * *' })
  first.clock.set('2026-01-15T10:01:59Z')
  await schedulerOf(first, 'UTC', 'one').tick()
  first.clock.set('2026-01-15T10:02:00Z')
  await schedulerOf(second, 'UTC', 'two').tick()
  assert.deepEqual(dueTimes(second), ['2026-01-15T10:01', '2026-01-15T10:02'])
  assert.equal(first.db.sqlite.prepare('SELECT count(*) FROM leases').pluck().get(), 0)
})

test('while another process holds the lease nothing is fired; when it ends, it is', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'x', cron_expression: '* * * * *' })
  room.clock.advance(60_000)
  const expires = room.clock.now() + 5_000
  await room.db.write(({ sqlite }) =>
    sqlite.prepare('INSERT INTO leases (name, holder, expires_at) VALUES (?, ?, ?)').run('schedules', 'dead', expires),
  )
  const scheduler = schedulerOf(room)
  assert.ok((await scheduler.tick()) <= 5_000)
  assert.deepEqual(dueTimes(room), [])
  room.clock.advance(5_000)
  await scheduler.tick()
  assert.equal(dueTimes(room).length, 1)
})

test('a clock set back, and a new time zone, move the times that wait', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  room.clock.set('2030-01-01T00:00:00Z')
  await room.call('create_schedule', { task: 'x', cron_expression: '0 9 * * *' })
  const scheduler = schedulerOf(room)
  await scheduler.tick()
  room.clock.set('2026-01-15T10:00:00Z')
  await scheduler.tick()
  assert.match((await room.call('list_schedules')).text, /next="2026-01-16T09:00Z"/)
  await schedulerOf(room, 'America/New_York').tick()
  assert.match((await room.call('list_schedules')).text, /next="2026-01-15T14:00Z"/)
})

test('a schedule that is no longer understood is switched off and hinders no other', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'good', cron_expression: '* * * * *' })
  await room.db.write(({ sqlite }) =>
    sqlite
      .prepare(
        "INSERT INTO schedules (task, cron_expression, next_run_at, created_at, updated_at) VALUES ('bad', 'gibberish', 1, 1, 1)",
      )
      .run(),
  )
  room.clock.advance(60_000)
  await schedulerOf(room).tick()
  assert.equal(dueTimes(room).length, 2)
  assert.match((await room.call('list_schedules')).text, /id="2" cron="gibberish" state="disabled"/)
  assert.ok(room.log.entries.some(({ level }) => level === 'warn'))
})

test('reminders that are switched off make nothing, and the schedule goes on', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'x', cron_expression: '* * * * *' })
  await room.call('notification_settings', { action: 'set', types_enabled: ['media'] })
  room.clock.advance(60_000)
  await schedulerOf(room).tick()
  assert.deepEqual(dueTimes(room), [])
  assert.match((await room.call('list_schedules')).text, /next="2026-01-15T10:02Z" last="2026-01-15T10:01Z"/)
})

test('what has outlived its time is erased', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'to be erased', tags: 'x' })
  await room.store({ content: 'deleted later' })
  await room.confirm('delete_memory', { id: 1 })
  await room.call('create_notification', { title: 'x', expires_in_minutes: 1 })
  room.clock.advance(KEPT_MS)
  await room.confirm('delete_memory', { id: 2 })
  room.clock.advance(1)
  await schedulerOf(room).tick()
  const rows = (table: string): number | undefined =>
    room.db.sqlite.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n
  assert.deepEqual([rows('memories'), rows('memory_tags'), rows('notifications')], [1, 0, 0])
  assert.match((await room.call('update_memory', { id: 1, restore: true })).text, /NOT_FOUND/)
  assert.equal((await room.call('update_memory', { id: 2, restore: true })).isError, false)
  assert.deepEqual(room.indexProblems(), [])
})

test('a started scheduler fires by itself, and stops', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'x', cron_expression: '* * * * *' })
  room.clock.advance(60_000)
  const fired = Promise.withResolvers<void>()
  const log = { ...room.log, error: (detail: object) => fired.reject(detail) }
  const stop = startScheduler({
    db: room.db,
    clock: room.clock,
    log,
    timeZone: 'UTC',
    holder: 'one',
    sleepMsMax: 20,
  })
  const look = setInterval(() => dueTimes(room).length === 1 && fired.resolve(), 5)
  await fired.promise
  clearInterval(look)
  await stop()
  await stop()
  room.clock.advance(60_000)
  assert.equal(dueTimes(room).length, 1)
})
