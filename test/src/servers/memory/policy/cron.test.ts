import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { firstDue, nextDue } from '../../../../../src/servers/memory/policy/cron.ts'
import { fromWall, toWall } from '../../../../../src/servers/memory/policy/zone.ts'

const timeout = 20_000

/** The next times of an expression after an instant, as ISO text. */
function times(expression: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = []
  let at: number | undefined = Date.parse(after)
  while (found.length < count && at !== undefined) {
    at = nextDue(expression, timeZone, at)
    if (at !== undefined) found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

test('a time that the clocks skip in Madrid runs at the next valid minute', { timeout }, () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Madrid', '2026-03-27T12:00:00Z', 3), [
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ])
})

test('a time that the clocks skip in New York runs at the next valid minute', { timeout }, () => {
  assert.deepEqual(times('30 2 * * *', 'America/New_York', '2026-03-07T00:00:00Z', 3), [
    '2026-03-07T07:30',
    '2026-03-08T07:00',
    '2026-03-09T06:30',
  ])
})

test('a time that occurs twice in Madrid runs once', { timeout }, () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Madrid', '2026-10-24T00:00:00Z', 3), [
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ])
})

test('a time that occurs twice in New York runs once', { timeout }, () => {
  assert.deepEqual(times('30 1 * * *', 'America/New_York', '2026-10-31T00:00:00Z', 3), [
    '2026-10-31T05:30',
    '2026-11-01T05:30',
    '2026-11-02T06:30',
  ])
})

test('asked in the second pass of a repeated hour, the next time is tomorrow', { timeout }, () => {
  assert.deepEqual(times('30 2 * * *', 'Europe/Madrid', '2026-10-25T00:45:00Z', 1), ['2026-10-26T01:30'])
  assert.deepEqual(times('30 2 * * *', 'Europe/Madrid', '2026-10-25T01:10:00Z', 1), ['2026-10-26T01:30'])
})

test('several times inside a skipped hour collapse into one run', { timeout }, () => {
  assert.deepEqual(times('*/15 2 * * *', 'Europe/Madrid', '2026-03-28T22:00:00Z', 2), [
    '2026-03-29T01:00',
    '2026-03-30T00:00',
  ])
})

test('several times inside a repeated hour run once each', { timeout }, () => {
  assert.deepEqual(times('*/20 2 * * *', 'Europe/Madrid', '2026-10-24T22:00:00Z', 4), [
    '2026-10-25T00:00',
    '2026-10-25T00:20',
    '2026-10-25T00:40',
    '2026-10-26T01:00',
  ])
})

test('a list of hours follows the wall clock too', { timeout }, () => {
  assert.deepEqual(times('30 2,14 * * *', 'Europe/Madrid', '2026-03-28T22:00:00Z', 2), [
    '2026-03-29T01:00',
    '2026-03-29T12:30',
  ])
})

test('every hour stays every hour, whatever the clocks do', { timeout }, () => {
  const spring = times('0 * * * *', 'Europe/Madrid', '2026-03-28T23:30:00Z', 4)
  const autumn = times('0 * * * *', 'Europe/Madrid', '2026-10-24T23:30:00Z', 4)
  assert.deepEqual(spring, ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00', '2026-03-29T03:00'])
  assert.deepEqual(autumn, ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00'])
})

test('zones with half-hour shifts, midnight gaps and a skipped day are understood', { timeout }, () => {
  assert.deepEqual(times('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2), [
    '2026-10-03T15:30',
    '2026-10-04T15:15',
  ])
  assert.deepEqual(times('0 0 * * *', 'America/Santiago', '2026-09-05T06:00:00Z', 2), [
    '2026-09-06T04:00',
    '2026-09-07T03:00',
  ])
  assert.deepEqual(times('0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00:00Z', 3), [
    '2011-12-29T22:00',
    '2011-12-30T10:00',
    '2011-12-30T22:00',
  ])
})

test('an expression that is not understood is one clear sentence', { timeout }, () => {
  const refused = ['', 'nope', '* * * *', '* * * * * *', '60 * * * *', '0 24 * * *', '5/10 * * * *', '@every']
  for (const expression of refused) {
    assert.throws(() => nextDue(expression, 'UTC', 0), {
      name: 'DomainError',
      code: 'CRON_INVALID',
      message: /^The cron expression ".*" is not usable: .+\.$/,
    })
  }
})

test('an expression that never comes due is refused at once', { timeout }, () => {
  assert.equal(nextDue('0 0 31 2 *', 'Europe/Madrid', 0), undefined)
  assert.throws(() => firstDue('0 0 30 2 *', 'UTC', 0), { code: 'CRON_INVALID', message: /never comes due/ })
})

test('nicknames and names of days and months are understood', { timeout }, () => {
  assert.deepEqual(times('@daily', 'UTC', '2026-01-01T00:00:00Z', 1), ['2026-01-02T00:00'])
  assert.deepEqual(times('@hourly', 'UTC', '2026-01-01T00:00:00Z', 1), ['2026-01-01T01:00'])
  assert.deepEqual(times('0 9 * JAN MON-FRI', 'UTC', '2026-01-02T09:00:00Z', 1), ['2026-01-05T09:00'])
})

test(
  'whatever the zone and the moment, the next time lies ahead and the one after it further ahead',
  { timeout },
  () => {
    const zones = [
      'UTC',
      'Europe/Madrid',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'America/Santiago',
    ]
    const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) })
    const hour = fc.oneof(fc.constant('*'), fc.constant('*/3'), fc.integer({ min: 0, max: 23 }).map(String))
    const minute = fc.oneof(fc.constant('*/7'), fc.integer({ min: 0, max: 59 }).map(String))
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, minute, hour, (zone, at, minutes, hours) => {
        const first = nextDue(`${minutes} ${hours} * * *`, zone, at)
        assert.ok(first !== undefined && first > at && first - at <= 49 * 3_600_000)
        const second = nextDue(`${minutes} ${hours} * * *`, zone, first)
        assert.ok(second !== undefined && second > first)
        assert.equal(first % 60_000, 0)
      }),
      { numRuns: 300 },
    )
  },
)

test('an instant read off the wall and back is the first occurrence of that wall time', { timeout }, () => {
  const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) }).map((at) => at - (at % 60_000))
  fc.assert(
    fc.property(fc.constantFrom('Europe/Madrid', 'America/New_York', 'Australia/Lord_Howe'), moment, (zone, at) => {
      const back = fromWall(toWall(at, zone), zone)
      assert.ok(back <= at)
      assert.equal(toWall(back, zone), toWall(at, zone))
    }),
    { numRuns: 300 },
  )
})
