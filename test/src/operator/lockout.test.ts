import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayError } from '../../../src/errors.ts'
import { createLockout, lockMsAfter, slowMsAfter } from '../../../src/operator/lockout.ts'
import { trimFailures } from '../../../src/operator/queries.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { PASSWORD, setUpOwner, VISITOR } from './owner.ts'

const timeout = 60_000
const wrong = { ...VISITOR, password: 'wrong' }
const right = { ...VISITOR, password: PASSWORD }
const codeOf = (error: unknown): string => (error instanceof GatewayError ? error.code : String(error))
const failure = (attempt: Promise<unknown>): Promise<string> => attempt.then(() => 'let in', codeOf)

test('the wait doubles from a quarter of a minute to a quarter of an hour', { timeout }, () => {
  assert.deepEqual(
    [0, 4, 5, 6, 7, 10, 11, 500].map(lockMsAfter),
    [0, 0, 15_000, 30_000, 60_000, 480_000, 900_000, 900_000],
  )
  assert.deepEqual([0, 29, 30, 40, 70, 100_000].map(slowMsAfter), [0, 0, 250, 500, 4_000, 4_000])
})

test('after five failures an address waits, longer each time, and a success forgets them', { timeout }, async (t) => {
  const { operators, time } = await setUpOwner(t)
  for (let attempt = 0; attempt < 5; attempt++) assert.equal(await failure(operators.login(wrong)), 'LOGIN_FAILED')
  await assert.rejects(
    operators.login(right),
    (error) => error instanceof GatewayError && error.code === 'LOGIN_LOCKED' && error.retryAfterMs === 15_000,
  )
  assert.equal(
    await failure(operators.login({ ...right, address: '192.0.2.8' })),
    'let in',
    'another address does not wait',
  )
  time.now += 15_000
  assert.equal(await failure(operators.login(wrong)), 'LOGIN_FAILED')
  time.now += 29_999
  assert.equal(await failure(operators.login(right)), 'LOGIN_LOCKED')
  time.now += 1
  assert.equal(await failure(operators.login(right)), 'let in')
  for (let attempt = 0; attempt < 4; attempt++) assert.equal(await failure(operators.login(wrong)), 'LOGIN_FAILED')
  assert.equal(await failure(operators.login(right)), 'let in')
})

test('of many guesses at once, in two processes, five are looked at', { timeout }, async (t) => {
  const { operators, db, another } = await setUpOwner(t)
  const beside = await openDatabase({ path: db.path })
  t.after(() => beside.close())
  const both = [operators, another(beside)] as const
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => failure(both[index % 2 === 0 ? 0 : 1].login(wrong))),
  )
  assert.equal(guesses.filter((one) => one === 'LOGIN_FAILED').length, 5)
  assert.equal(guesses.filter((one) => one === 'LOGIN_LOCKED').length, 35)
})

test('every way to try the password or a code counts', { timeout }, async (t) => {
  const { operators } = await setUpOwner(t)
  const { session } = await operators.login(right)
  const visitor = { ...VISITOR, address: '192.0.2.9' }
  const tries = [
    () => operators.changePassword({ ...visitor, current: 'wrong', next: 'a blue tram hums at midnight' }),
    () => operators.enrolFactor(session, 'wrong', visitor),
    () => operators.makeRecoveryCodes('wrong', visitor),
    () => operators.disableFactor({ password: 'wrong', visitor }),
    () => operators.login({ ...visitor, password: 'wrong' }),
  ]
  for (const attempt of tries) assert.equal(await failure(attempt()), 'LOGIN_FAILED')
  for (const attempt of tries) assert.equal(await failure(attempt()), 'LOGIN_LOCKED')
  assert.equal(await failure(operators.confirmFactor(session, '000000', visitor)), 'LOGIN_LOCKED')
})

test(
  'a known device is counted for itself: a flood from its address, or from everywhere, does not lock it out or slow it',
  { timeout },
  async (t) => {
    const { operators, pauses } = await setUpOwner(t)
    for (let attempt = 0; attempt < 10; attempt++) await failure(operators.login(wrong))
    for (let attempt = 0; attempt < 40; attempt++)
      await failure(operators.login({ ...wrong, address: `198.51.100.${attempt}` }))
    assert.equal(await failure(operators.login(right)), 'LOGIN_LOCKED')
    const slowed = pauses.length
    assert.ok(slowed > 0)
    assert.equal(await failure(operators.login({ ...right, device: 'known' })), 'let in')
    assert.equal(pauses.length, slowed)
    assert.equal(
      await failure(operators.login({ ...right, address: '203.0.113.1' })),
      'let in',
      'a new device waits, and is let in',
    )
    assert.equal(pauses.length, slowed + 1)
    for (let attempt = 0; attempt < 5; attempt++) await failure(operators.login({ ...wrong, device: 'stolen' }))
    assert.equal(await failure(operators.login({ ...right, device: 'stolen' })), 'LOGIN_LOCKED')
    assert.equal(await failure(operators.login({ ...right, device: 'known' })), 'let in')
  },
)

test(
  'failures are forgotten after a day, by whoever has the terminal, and when the clock was wrong',
  { timeout },
  async (t) => {
    const { operators, time } = await setUpOwner(t)
    const lock = async (): Promise<void> => {
      for (let attempt = 0; attempt < 5; attempt++) await failure(operators.login(wrong))
      assert.equal(await failure(operators.login(right)), 'LOGIN_LOCKED')
    }
    await lock()
    await operators.forgiveFailures()
    assert.equal(await failure(operators.login(right)), 'let in')
    await lock()
    time.now += 24 * 3_600_000 + 1
    for (let attempt = 0; attempt < 4; attempt++) assert.equal(await failure(operators.login(wrong)), 'LOGIN_FAILED')
    await operators.forgiveFailures()
    await lock()
    time.now -= 30 * 86_400_000
    assert.equal(await failure(operators.login(right)), 'let in', 'a clock that was set back does not lock for a month')
  },
)

test('a flood waits in one place of its network, and what is refused unseen is not counted', { timeout }, async (t) => {
  const { db, time } = await setUpOwner(t)
  const { promise, resolve: pass } = Promise.withResolvers<void>()
  let waiting = 0
  const lockout = createLockout(db, { now: () => time.now }, () => {
    waiting++
    return promise
  })
  const left: Promise<string>[] = []
  for (let attempt = 0; attempt < 40; attempt++) {
    const begun = lockout.begin(from(`198.51.100.${attempt}`))
    if (attempt < 29) await begun
    else left.push(failure(begun))
  }
  const flood = await Promise.all(
    Array.from({ length: 200 }, () => failure(Promise.race([lockout.begin(from('x')), tick()]))),
  )
  assert.equal(flood.filter((code) => code === 'LOGIN_LOCKED').length, 199)
  const rows = db.sqlite.prepare('select count from login_failures where key = ?').pluck()
  assert.equal(rows.get('address:x'), 1)
  const owner = lockout.begin(from('203.0.113.1'))
  await tick()
  pass()
  await owner
  assert.ok((await Promise.all(left)).every((code) => code === 'let in'))
  assert.ok(waiting >= 3)
  await lockout.begin(from('x'))
})

const from = (address: string) => ({ address, userAgent: '' })
const tick = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

test('the table of failures stays small', { timeout }, async (t) => {
  const { db } = await setUpOwner(t)
  const insert = db.sqlite.prepare('INSERT INTO login_failures (key, count, last_at) VALUES (?, 1, ?)')
  await db.write(() => {
    for (let row = 0; row < 1000; row++) insert.run(`address:${row}`, row)
  })
  const rows = () => db.sqlite.prepare('SELECT count(*) AS n, min(last_at) AS oldest FROM login_failures').get()
  await db.write((tx) => trimFailures(tx, 100, 10_000))
  assert.deepEqual(rows(), { n: 900, oldest: 100 })
  await db.write((tx) => trimFailures(tx, 100, 500))
  assert.deepEqual(rows(), { n: 450, oldest: 550 })
})
