// Schedules as tools, through the runtime on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsIn, memoryRoom, walk } from '../room.ts'

const timeout = 30_000

test('a schedule is created in the zone of the installation, and says when it is due', { timeout }, async (t) => {
  const room = await memoryRoom(t, { timeZone: 'Europe/Madrid' })
  const created = await room.call('create_schedule', {
    task: 'Water the plants',
    cron_expression: ' 0 9 * * * ',
    description: 'balcony',
  })
  assert.equal(created.text, 'Scheduled: id 1, 0 9 * * * (Europe/Madrid), next 2026-01-16T08:00Z.')
  const { text } = await room.call('list_schedules')
  assert.match(
    text,
    /<schedule id="1" cron="0 9 \* \* \*" next="2026-01-16T08:00Z" description="balcony">Water the plants/,
  )
})

test('an expression that is not understood, or never due, is refused in one sentence', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (const cron_expression of ['every day', '60 * * * *', '* * * * * *', '0 0 31 2 *']) {
    const answer = await room.call('create_schedule', { task: 'x', cron_expression })
    assert.match(answer.text, /VALIDATION_ERROR[\s\S]*is not usable: [^.]+\.[\s\S]*five fields/, cron_expression)
  }
  assert.equal((await room.call('list_schedules')).text, 'There are no schedules.')
})

test('a schedule is changed, paused, resumed and deleted', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.call('create_schedule', { task: 'old', cron_expression: '0 9 * * *' })
  assert.match(
    (await room.call('update_schedule', { id: 1, task: 'new', cron_expression: '30 8 * * *' })).text,
    /^Updated: id 1, 30 8 \* \* \* \(UTC\), next 2026-01-16T08:30Z\.$/,
  )
  assert.match(
    (await room.call('update_schedule', { id: 1, enabled: false })).text,
    /^Updated: id 1, 30 8 .*, disabled\.$/,
  )
  assert.equal((await room.call('list_schedules', { enabled_only: true })).text, 'There are no schedules.')
  room.clock.set('2026-03-01T00:00:00Z')
  assert.match((await room.call('update_schedule', { id: 1, enabled: true })).text, /next 2026-03-01T08:30Z\.$/)
  assert.match((await room.call('update_schedule', { id: 1, cron_expression: 'x' })).text, /VALIDATION_ERROR/)
  assert.match((await room.call('update_schedule', { id: 1 })).text, /Nothing to change/)
  assert.match(
    (await room.call('update_schedule', { id: 1, delete: true })).text,
    /^Deleted:\n<schedule id="1"[\s\S]*new/,
  )
  assert.match((await room.call('update_schedule', { id: 1, delete: true })).text, /NOT_FOUND/)
})

test('a cursor walks the schedules, newest first', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 7; index += 1)
    await room.call('create_schedule', { task: `t${index}`, cron_expression: '@daily' })
  await room.call('update_schedule', { id: 4, enabled: false })
  assert.deepEqual(await walk(room, 'list_schedules', { limit: 3 }), [7, 6, 5, 4, 3, 2, 1])
  assert.deepEqual(await walk(room, 'list_schedules', { limit: 2, enabled_only: true }), [7, 6, 5, 3, 2, 1])
  assert.deepEqual(idsIn(await room.call('list_schedules', { limit: 100 })).length, 7)
})
