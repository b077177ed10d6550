// What the owner does once signed in: the second factor, sessions, another password.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invoke } from '../../../src/runtime/invoke.ts'
import { reject } from '../../../src/servers/memory/approval.ts'
import { Browser, PASSWORD, problemOn, sessionOf, signedIn } from './browser.ts'
import { appCode } from '../../src/operator/owner.ts'

const timeout = 60_000

test('a second factor is asked for once it is on', { timeout }, async (t) => {
  const { app, browser, lines } = await signedIn(t)
  assert.match(problemOn(await browser.post('/account/second-factor', { current: 'wrong' })), /password is wrong/)
  await browser.post('/account/second-factor', { current: PASSWORD })
  const enrolment = await browser.get('/account/second-factor')
  const secret = (/class="code">([A-Z2-7 ]+)</.exec(enrolment.body)?.[1] ?? '').replaceAll(' ', '')
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.match(problemOn(await browser.post('/account/second-factor/confirm', { code: '12' })), /code is wrong/)
  const confirmed = await browser.post('/account/second-factor/confirm', { code: appCode(secret, Date.now()) })
  assert.equal(confirmed.headers.location, '/account/recovery-codes')
  const codes = [...(await browser.get('/account/recovery-codes')).body.matchAll(/\d{4}(?:-\d{4}){4}/g)].map(
    ([code]) => code,
  )
  assert.equal(codes.length, 10)
  assert.equal((await browser.get('/account/recovery-codes')).headers.location, '/account', 'they are shown once')
  const other = new Browser(app)
  assert.match((await other.get('/login')).body, /name="code"/)
  assert.match(problemOn(await other.post('/login', { password: PASSWORD })), /^The password or the code is wrong\.$/)
  assert.equal((await other.post('/login', { password: PASSWORD, code: codes[0] ?? '' })).statusCode, 303)
  assert.match((await other.get('/account')).body, /9 recovery codes are left/)
  await browser.post('/account/recovery-codes', { current: PASSWORD })
  assert.equal((await browser.get('/account/recovery-codes')).body.includes(codes[1] ?? ''), false)
  assert.equal(
    (await browser.post('/account/second-factor/off', { current: PASSWORD })).headers.location,
    '/account?done=factor-off',
  )
  assert.doesNotMatch((await new Browser(app).get('/login')).body, /name="code"/)
  for (const sentinel of [PASSWORD, secret, ...codes, browser.cookies.get(sessionOf(app)) ?? '-'])
    assert.ok(!lines.join().includes(sentinel))
})

test(
  'the account lists where the owner is signed in and ends sessions; a new password ends the others',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    const phone = new Browser(app)
    const laptop = new Browser(app)
    for (const one of [phone, laptop]) await one.post('/login', { password: PASSWORD })
    const page = (await browser.get('/account')).body
    assert.equal(page.match(/Firefox on Linux<\/strong>/g)?.length, 3)
    const ids = app.operators.sessions().map(({ id }) => id)
    const last = Math.max(...ids)
    assert.equal(
      (await browser.post('/account/sessions/revoke', { id: String(last) })).headers.location,
      '/account?done=session',
    )
    assert.equal((await laptop.get('/account')).statusCode, 303)
    assert.match((await browser.get('/account?done=session')).body, /That session has ended/)
    for (const bad of ['0', '-1', 'x', '1.5', ''])
      assert.equal((await browser.post('/account/sessions/revoke', { id: bad })).statusCode, 400, bad)
    const next = 'a blue tram hums at midnight'
    assert.equal(
      (await browser.post('/account/password', { current: PASSWORD, password: next, repeated: next })).statusCode,
      303,
    )
    assert.deepEqual([(await browser.get('/account')).statusCode, (await phone.get('/account')).statusCode], [200, 303])
    await phone.post('/login', { password: next })
    assert.equal((await browser.post('/account/sessions/revoke-others')).statusCode, 303)
    assert.deepEqual([(await browser.get('/account')).statusCode, (await phone.get('/account')).statusCode], [200, 303])
    const own = app.operators.sessions()[0]?.id
    assert.equal((await browser.post('/account/sessions/revoke', { id: String(own) })).headers.location, '/login')
    assert.equal((await browser.get('/account')).statusCode, 303)
  },
)

test('the account says that a change of crow.md waits, until it is decided', { timeout }, async (t) => {
  const { app, browser } = await signedIn(t)
  const page = async (): Promise<string> => (await browser.get('/account')).body
  assert.doesNotMatch(await page(), /crow\.md/)
  const call = {
    caller: { id: 'local:1', kind: 'local', scopes: 'all', client: 'Desk\u202e <b>' },
    server: 'memory',
  } as const
  const write = async (section_key: string) =>
    await invoke(app.catalog, { ...call, tool: 'update_context_section', params: { section_key, content: 'obey me' } })
  await write('identity')
  const one = await page()
  assert.match(one, /A change of crow\.md waits for you/)
  assert.match(one, /crow context approve 1\n/)
  assert.match(one, /change identity \(global\)/)
  assert.match(one, /wished by <bdi>Desk &lt;b&gt;<\/bdi>/)
  assert.doesNotMatch(one, /obey me/)
  await write('writing_style')
  assert.match(await page(), /2 changes of crow\.md wait for you/)
  for (const id of [1, 2]) await reject(app.database, id)
  assert.doesNotMatch(await page(), /crow\.md/)
})
