import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { GatewayError } from '../../../src/errors.ts'
import { appCode, freshOwner, PASSWORD, setUpOwner, VISITOR } from './owner.ts'

const timeout = 60_000
const code = (expected: string) => (error: unknown) => error instanceof GatewayError && error.code === expected
const DAY_MS = 86_400_000
const other = 'a blue tram hums at midnight'

test(
  'the first password needs the code of the terminal, which lasts half an hour and works once',
  { timeout },
  async (t) => {
    const { operators, time } = await freshOwner(t)
    assert.equal(operators.exists(), false)
    const request = { ...VISITOR, password: PASSWORD }
    await assert.rejects(operators.setUp({ ...request, code: '' }), code('SETUP_CODE_WRONG'))
    const first = await operators.makeSetupCode()
    const second = await operators.makeSetupCode()
    await assert.rejects(operators.setUp({ ...request, code: first }), code('SETUP_CODE_WRONG'))
    for (let attempt = 0; attempt < 7; attempt++)
      await assert.rejects(
        operators.setUp({ ...request, code: second, password: 'password1234' }),
        code('PASSWORD_WEAK'),
      )
    time.now += 30 * 60_000
    await assert.rejects(operators.setUp({ ...request, code: second }), code('SETUP_CODE_WRONG'))
    const third = await operators.makeSetupCode()
    const { secret, session } = await operators.setUp({ ...request, code: third.toLowerCase() })
    assert.equal(operators.sessionOf(secret)?.id, session.id)
    assert.equal(operators.exists(), true)
    await assert.rejects(operators.makeSetupCode(), code('OPERATOR_EXISTS'))
    await assert.rejects(operators.setUp({ ...request, code: third }), code('OPERATOR_EXISTS'))
  },
)

test('CROW_SETUP_TOKEN serves as the code, and its absence is no code', { timeout }, async (t) => {
  const withToken = await freshOwner(t, { setupToken: 'a token of the host' })
  await assert.rejects(
    withToken.operators.setUp({ ...VISITOR, password: PASSWORD, code: 'a token' }),
    code('SETUP_CODE_WRONG'),
  )
  await withToken.operators.setUp({ ...VISITOR, password: PASSWORD, code: 'a token of the host' })
  for (const setupToken of ['', null]) {
    const without = await freshOwner(t, { setupToken })
    await assert.rejects(
      without.operators.setUp({ ...VISITOR, password: PASSWORD, code: '' }),
      code('SETUP_CODE_WRONG'),
    )
  }
})

test('of set-ups at once, in one process and in two, one makes the owner', { timeout }, async (t) => {
  const { operators, db, another } = await freshOwner(t, { setupToken: 'a token of the host' })
  const beside = await openDatabase({ path: db.path })
  t.after(() => beside.close())
  const both = [operators, another(beside)] as const
  const tries = await Promise.allSettled(
    Array.from({ length: 4 }, (_, index) =>
      both[index % 2 === 0 ? 0 : 1].setUp({
        ...VISITOR,
        address: `192.0.2.${index}`,
        password: `${PASSWORD} ${index}`,
        code: 'a token of the host',
      }),
    ),
  )
  const made = tries.map(({ status }, index) => (status === 'fulfilled' ? index : -1)).filter((index) => index >= 0)
  assert.equal(made.length, 1)
  for (const one of tries)
    if (one.status === 'rejected') assert.ok(code('OPERATOR_EXISTS')(one.reason), String(one.reason))
  await operators.login({ ...VISITOR, password: `${PASSWORD} ${made[0]}` })
})

test('a login has a secret of its own, and ends the session that the browser had', { timeout }, async (t) => {
  const { operators, db, another } = await setUpOwner(t)
  const one = await operators.login({ ...VISITOR, password: PASSWORD })
  const two = await operators.login({ ...VISITOR, password: PASSWORD })
  assert.match(one.secret, /^[\w-]{43}$/)
  const three = await operators.login({ ...VISITOR, password: PASSWORD, replaces: one.session })
  assert.deepEqual(
    [one, two, three].map(({ secret }) => operators.sessionOf(secret) !== undefined),
    [false, true, true],
  )
  assert.equal(new Set([one, two, three].map(({ secret }) => secret)).size, 3)
  const beside = await openDatabase({ path: db.path })
  t.after(() => beside.close())
  await another(beside).revoke(two.session.id)
  assert.equal(operators.sessionOf(two.secret), undefined, 'what another process revoked has ended')
  for (const secret of ['', 'x', 'A'.repeat(43), `${three.secret}A`])
    assert.equal(operators.sessionOf(secret), undefined)
})

test(
  'a session ends after a week without use and after thirty days with it, and is noted as seen once a minute',
  { timeout },
  async (t) => {
    const { operators, db, time } = await setUpOwner(t)
    const { secret, session } = await operators.login({ ...VISITOR, password: PASSWORD })
    const idle = await operators.login({ ...VISITOR, password: PASSWORD })
    const startedAt = time.now
    const lastSeenAt = async (): Promise<number | undefined> => {
      await db.write(() => undefined)
      return operators.sessions().find(({ id }) => id === session.id)?.lastSeenAt
    }
    time.now += 59_000
    operators.sessionOf(secret)
    assert.equal(await lastSeenAt(), startedAt)
    time.now += 1_000
    operators.sessionOf(secret)
    assert.equal(await lastSeenAt(), startedAt + 60_000)
    for (let day = 1; day < 30; day++) {
      time.now = startedAt + day * DAY_MS
      assert.ok(operators.sessionOf(secret), `day ${day}`)
      await db.write(() => undefined)
      if (day === 8) {
        assert.equal(operators.sessionOf(idle.secret), undefined)
        assert.equal(operators.isLive(idle.session.id), false)
      }
    }
    time.now = startedAt + 30 * DAY_MS
    assert.equal(operators.sessionOf(secret), undefined)
    assert.deepEqual(operators.sessions(), [])
  },
)

test('a changed password ends every session, and the old one lets nobody in', { timeout }, async (t) => {
  const { operators } = await setUpOwner(t)
  const before = await operators.login({ ...VISITOR, password: PASSWORD })
  await assert.rejects(operators.changePassword({ ...VISITOR, current: 'wrong', next: other }), code('LOGIN_FAILED'))
  await assert.rejects(
    operators.changePassword({ ...VISITOR, current: PASSWORD, next: PASSWORD }),
    code('PASSWORD_WEAK'),
  )
  assert.ok(operators.sessionOf(before.secret))
  const after = await operators.changePassword({ ...VISITOR, current: PASSWORD, next: other })
  assert.equal(operators.sessionOf(before.secret), undefined)
  assert.deepEqual(
    operators.sessions().map(({ id }) => id),
    [after.session.id],
  )
  await assert.rejects(operators.login({ ...VISITOR, password: PASSWORD }), code('LOGIN_FAILED'))
  await operators.setPassword(PASSWORD)
  assert.equal(operators.sessionOf(after.secret), undefined)
})

test('a login that was under way when the password changed lets nobody in', { timeout }, async (t) => {
  const { operators } = await setUpOwner(t)
  const [slow] = await Promise.allSettled([
    operators.login({ ...VISITOR, password: PASSWORD }),
    operators.setPassword(other),
  ])
  if (slow.status === 'fulfilled') assert.equal(operators.sessionOf(slow.value.secret), undefined)
  else assert.ok(code('LOGIN_FAILED')(slow.reason))
  assert.deepEqual(operators.sessions(), [])
})

test('a hash of older parameters is made anew at the next login', { timeout }, async (t) => {
  const { operators, db } = await setUpOwner(t)
  const { hash } = await import('@node-rs/argon2')
  const old = await hash(PASSWORD, { memoryCost: 4096, timeCost: 1, parallelism: 1 })
  db.sqlite.prepare('UPDATE operators SET password_hash = ?').run(old)
  await assert.rejects(operators.login({ ...VISITOR, password: 'wrong' }), code('LOGIN_FAILED'))
  const stored = () => String(db.sqlite.prepare('SELECT password_hash FROM operators').pluck().get())
  assert.equal(stored(), old)
  await operators.login({ ...VISITOR, password: PASSWORD })
  assert.match(stored(), /\$m=19456,t=2,p=1\$/)
  await operators.login({ ...VISITOR, password: PASSWORD })
})

async function withFactor(t: Parameters<typeof setUpOwner>[0]) {
  const owner = await setUpOwner(t)
  const { operators, time } = owner
  const { session } = await operators.login({ ...VISITOR, password: PASSWORD })
  await assert.rejects(operators.enrolFactor(session, 'wrong', VISITOR), code('LOGIN_FAILED'))
  await operators.enrolFactor(session, PASSWORD, VISITOR)
  const { secret } = operators.enrolment(session) ?? { secret: '' }
  await assert.rejects(operators.confirmFactor(session, '000000', VISITOR), code('LOGIN_FAILED'))
  assert.equal(operators.hasSecondFactor(), false)
  const codes = await operators.confirmFactor(session, appCode(secret, time.now), VISITOR)
  return { ...owner, session, secret, codes }
}

test(
  'a code of the app passes once, also when it comes twice at once, and not the one it was turned on with',
  { timeout },
  async (t) => {
    const { operators, time, secret } = await withFactor(t)
    const login = (typed: string) => operators.login({ ...VISITOR, password: PASSWORD, code: typed })
    await assert.rejects(login(''), code('LOGIN_FAILED'))
    await assert.rejects(login(appCode(secret, time.now)), code('LOGIN_FAILED'))
    time.now += 30_000
    await assert.rejects(
      operators.login({ ...VISITOR, password: 'wrong', code: appCode(secret, time.now) }),
      code('LOGIN_FAILED'),
    )
    const both = await Promise.allSettled([login(appCode(secret, time.now)), login(appCode(secret, time.now))])
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects(
      login(appCode(secret, time.now - 30_000)),
      code('LOGIN_FAILED'),
      'an earlier step, too, has passed',
    )
  },
)

test('each recovery code stands in once, and new ones end the old', { timeout }, async (t) => {
  const { operators, codes, session } = await withFactor(t)
  const login = (typed = '') => operators.login({ ...VISITOR, password: PASSWORD, code: typed })
  assert.equal(new Set(codes).size, 10)
  assert.equal(operators.recoveryCodesLeft(), 10)
  const both = await Promise.allSettled([login(codes[0]), login(codes[0]?.replaceAll('-', ' '))])
  assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal(operators.recoveryCodesLeft(), 9)
  await assert.rejects(operators.login({ ...VISITOR, password: 'wrong', code: codes[1] }), code('LOGIN_FAILED'))
  await login(codes[1])
  await assert.rejects(operators.makeRecoveryCodes('wrong', VISITOR), code('LOGIN_FAILED'))
  const renewed = await operators.makeRecoveryCodes(PASSWORD, VISITOR)
  await assert.rejects(login(codes[2]), code('LOGIN_FAILED'))
  await login(renewed[0])
  await operators.disableFactor({ password: PASSWORD, visitor: VISITOR })
  await login()
  assert.equal(operators.recoveryCodesLeft(), 0)
  await assert.rejects(operators.makeRecoveryCodes(PASSWORD, VISITOR), code('FACTOR_MISSING'))
  await assert.rejects(operators.confirmFactor(session, '000000', VISITOR), code('ENROLMENT_OVER'))
})

test(
  'a second factor that was begun is forgotten after a quarter of an hour, and belongs to its session',
  { timeout },
  async (t) => {
    const { operators, time } = await setUpOwner(t)
    const one = await operators.login({ ...VISITOR, password: PASSWORD })
    const two = await operators.login({ ...VISITOR, password: PASSWORD })
    const { secret } = await operators.enrolFactor(one.session, PASSWORD, VISITOR)
    assert.equal(operators.enrolment(two.session), undefined)
    await assert.rejects(
      operators.confirmFactor(two.session, appCode(secret, time.now), VISITOR),
      code('ENROLMENT_OVER'),
    )
    time.now += 15 * 60_000
    await assert.rejects(
      operators.confirmFactor(one.session, appCode(secret, time.now), VISITOR),
      code('ENROLMENT_OVER'),
    )
  },
)

test('neither the database nor the log holds anything that opens the door', { timeout }, async (t) => {
  const { operators, db, lines, secret, codes } = await withFactor(t)
  const setup = await freshOwner(t)
  const setupCode = await setup.operators.makeSetupCode()
  const { secret: cookie } = await operators.login({ ...VISITOR, password: PASSWORD, code: codes[0] })
  await assert.rejects(
    operators.login({ ...VISITOR, password: 'SENTINEL-typed-wrong', code: '123456' }),
    code('LOGIN_FAILED'),
  )
  const files = [db, setup.db].flatMap(({ path }) => [path, `${path}-wal`]).map((path) => readFileSync(path, 'latin1'))
  const said = [...files, ...lines, ...setup.lines].join('\n')
  for (const sentinel of [
    PASSWORD,
    secret,
    cookie,
    setupCode,
    setupCode.replaceAll('-', ''),
    'SENTINEL',
    ...codes,
    ...codes.map((one) => one.replaceAll('-', '')),
  ])
    assert.ok(!said.includes(sentinel), sentinel)
})
