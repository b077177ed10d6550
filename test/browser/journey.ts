// The way of the owner through every page, in a real Chromium on a desk and on a phone: set up, sign in, consent, consent to less,
// deny, look who is connected, and send one away. `npm run browser`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { modern, rpc } from '../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { PASSWORD } from '../fixtures/sign-in.ts'
import { begin, newClient, redeem, textOf } from '../plugins/oauth/client.ts'
import { appCode } from '../src/operator/owner.ts'
import { atConsent, inspect, launch, PHONE, signIn, visitor } from './chromium.ts'
import { program, type Program } from './program.ts'

const timeout = 180_000

/** Consents in the browser and redeems what the program received. @param tick what to leave ticked */
async function connect(running: RunningApp, page: Page, asks: Program, look: string, tick?: readonly string[]) {
  const clientId = await newClient(running, asks.redirectUri, { client_name: 'Desk program' })
  const at = { redirect_uri: asks.redirectUri, resource: `${running.origin}/memory/mcp` }
  const { url, verifier } = begin(running, clientId, at)
  const received = asks.next()
  await page.goto(url)
  if (new URL(page.url()).pathname === '/login') {
    await inspect(page, `${look}-login`)
    await signIn(page)
  }
  await atConsent(page)
  await inspect(page, `${look}-consent`)
  for (const box of await page.getByRole('checkbox').all())
    await box.setChecked(tick === undefined || tick.includes((await box.getAttribute('value')) ?? ''))
  await page.getByRole('button', { name: 'Allow what is ticked' }).click()
  const query = await received
  assert.equal(query.get('state'), 'a state')
  assert.equal(query.get('iss'), running.origin)
  const code = query.get('code') ?? ''
  return await redeem(running, { code, verifier, clientId, redirectUri: asks.redirectUri })
}

const store = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'from the desk' } })
const statusOf = async ({ port }: RunningApp, token: string): Promise<number> =>
  (await rpc({ port, token }, { path: '/memory/mcp', ...store })).status

test('set up, second factor, consent, less, deny, revoke, on a desk', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const browser = await launch(t)
  const { page, hosts, complaints } = await visitor(browser)
  const asks = await program(t, '127.0.0.1')

  await page.goto(`${running.origin}/account`)
  await page.waitForURL(/\/setup/)
  await inspect(page, 'desk-setup')
  await page.getByLabel('Code from the terminal').fill(await running.app.operators.makeSetupCode())
  for (const field of await page.locator('input[type=password]').all()) await field.fill(PASSWORD)
  await page.locator('form button').first().click()
  await page.waitForURL(/\/account/)
  await inspect(page, 'desk-account')

  const whole = await connect(running, page, asks, 'desk')
  assert.equal(whole.body['scope'], 'memory memory:read')
  assert.equal(await statusOf(running, textOf(whole, 'access_token')), 200)
  const less = await connect(running, page, asks, 'desk-again', ['memory:read'])
  assert.equal(less.body['scope'], 'memory:read')
  assert.equal(await statusOf(running, textOf(less, 'access_token')), 403)

  const clientId = await newClient(running, asks.redirectUri)
  const received = asks.next()
  await page.goto(begin(running, clientId, { redirect_uri: asks.redirectUri }).url)
  await page.getByRole('button', { name: 'Deny' }).click()
  assert.equal((await received).get('error'), 'access_denied')

  await page.goto(`${running.origin}/clients`)
  await inspect(page, 'desk-clients')
  const { length } = running.app.authorizations.list()
  assert.equal(length, 2)
  await page.locator('form[action$="/clients/revoke"] button').first().click()
  await page.waitForURL(/\/clients/)
  assert.equal(running.app.authorizations.list().length, 1)
  const tokens = [textOf(whole, 'access_token'), textOf(less, 'access_token')]
  const statuses = await Promise.all(tokens.map((token) => statusOf(running, token)))
  assert.equal(statuses.filter((status) => status === 401).length, 1)

  await secondFactor(running, page)
  assert.deepEqual(
    [...hosts].filter((host) => !host.startsWith('127.0.0.1:')),
    [],
  )
  assert.deepEqual(complaints, [])
  await page.goto(`${running.origin}/authorize?client_id=nobody`)
  await inspect(page, 'desk-unknown-client')
})

async function secondFactor(running: RunningApp, page: Page): Promise<void> {
  await page.goto(`${running.origin}/account`)
  const form = page.locator('form[action$="/account/second-factor"]')
  await form.locator('input[type=password]').fill(PASSWORD)
  await form.locator('button').click()
  await page.waitForURL(/second-factor/)
  await inspect(page, 'desk-second-factor')
  const secret = ((await page.locator('.code').first().textContent()) ?? '').replaceAll(/\s/g, '')
  await page.locator('input[name=code]').fill(appCode(secret, Date.now()))
  await page.locator('form[action$="/confirm"] button').click()
  await page.waitForURL(/recovery-codes/)
  await inspect(page, 'desk-recovery-codes')
}

test('sign in and consent on a phone, to a program at another name of the machine', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  await running.app.operators.setPassword(PASSWORD)
  const browser = await launch(t)
  const { page, hosts, complaints } = await visitor(browser, PHONE)
  const answer = await connect(running, page, await program(t, 'localhost'), 'phone')
  assert.equal(await statusOf(running, textOf(answer, 'access_token')), 200)
  const change = { section_key: 'identity', content: 'x' }
  const params = { name: 'crow_update_context_section', arguments: change }
  await rpc(running, { path: '/memory/mcp', ...modern('tools/call', params) })
  for (const path of ['/account', '/clients']) {
    await page.goto(running.origin + path)
    await inspect(page, `phone${path.replace('/', '-')}`)
  }
  assert.deepEqual(
    [...hosts].filter((host) => !/^(127\.0\.0\.1|localhost):/.test(host)),
    [],
  )
  assert.deepEqual(complaints, [])
})

test('without script the same way is open', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  await running.app.operators.setPassword(PASSWORD)
  const browser = await launch(t)
  const { page } = await visitor(browser, { javaScriptEnabled: false })
  const asks = await program(t, '127.0.0.1')
  const clientId = await newClient(running, asks.redirectUri)
  const received = asks.next()
  await page.goto(begin(running, clientId, { redirect_uri: asks.redirectUri }).url)
  await signIn(page)
  await atConsent(page)
  await page.getByRole('button', { name: 'Allow what is ticked' }).click()
  assert.match((await received).get('code') ?? '', /^crow_code_/)
})
