// What strangers write, at its longest, and what the owner does wrong, on every page of a small phone, and where a list is long on a desk too: nothing breaks
// out of the screen, nothing becomes too small.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aiClients } from '../../src/clients/table.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { PASSWORD } from '../fixtures/sign-in.ts'
import { begin, newClient } from '../plugins/oauth/client.ts'
import { appCode } from '../src/operator/owner.ts'
import { atConsent, inspect, launch, PHONE, signIn, visitor } from './chromium.ts'
import { program } from './program.ts'

const timeout = 180_000
const LONG_NAME = `${'W'.repeat(60)} Ünïcödé 名前名前名前 ${'wide '.repeat(6)}`
const LONG_HOST = `${['a', 'b', 'c'].map((letter) => letter.repeat(63)).join('.')}.example`
const screens: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['small', PHONE],
  ['wide', {}],
]

async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]:visible`).fill(value)
}

/** Presses the button of a form, and waits for the answer. */
async function press(page: Page, name: string): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && response.status() !== 303,
  )
  await page.getByRole('button', { name, exact: true }).click()
  await answered
  await page.waitForLoadState()
}

for (const [look, options] of screens) {
  test(`the longest names and hosts fit on a ${look} screen`, { timeout }, async (t) => {
    const running = await startApp()
    t.after(() => running.close())
    await running.app.operators.setPassword(PASSWORD)
    const { page, complaints } = await visitor(await launch(t), { ...options, ignoreHTTPSErrors: true })
    const site = await program(t, LONG_HOST)
    for (const redirect of ['com.example.a-program-with-a-long-name:/callback', site.redirectUri]) {
      const clientId = await newClient(running, redirect, { client_name: LONG_NAME })
      await page.goto(begin(running, clientId, { redirect_uri: redirect }).url)
      if (new URL(page.url()).pathname === '/login') await signIn(page)
      await atConsent(page)
      await inspect(page, `${look}-long-consent`)
    }
    const answered = site.next()
    await page.getByRole('button', { name: 'Allow what is ticked' }).click()
    await answered
    await page.waitForURL(`${site.redirectUri}**`)
    for (let made = 0; made < 27; made++) await running.app.tokens.create({ name: `${made} ${'M'.repeat(76)}` })
    await page.goto(`${running.origin}/clients`)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await inspect(page, `${look}-long-clients`)
    assert.deepEqual(complaints, [])
  })
}

test('a new token and how each client is set up fit on a small screen', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  await running.app.operators.setPassword(PASSWORD)
  const { page, complaints } = await visitor(await launch(t), PHONE)
  await page.goto(`${running.origin}/clients`)
  await signIn(page)
  const [command, file] = [true, false].map((isCommand) =>
    aiClients.find(({ http, command: given }) => http !== undefined && (given !== undefined) === isCommand),
  )
  for (const client of [command, file]) {
    assert.ok(client)
    await page.goto(`${running.origin}/clients`)
    await page.getByLabel('Name').fill(`${client.id}-`.padEnd(80, 'M'))
    await page.getByLabel('Show how to set up').selectOption({ label: client.title })
    await press(page, 'Make the token')
    await inspect(page, `small-token-${client.id}`)
  }
  await page.goto(`${running.origin}/clients`)
  await page.getByLabel('Name').fill('nothing ticked')
  for (const box of await page.getByRole('checkbox').all()) await box.setChecked(false)
  await press(page, 'Make the token')
  await inspect(page, 'small-token-refused')
  assert.deepEqual(
    complaints.filter((told) => !told.includes('status of 400')),
    [],
  )
})

test('what the owner gets wrong is said on a small screen', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { page } = await visitor(await launch(t), PHONE)
  await page.goto(`${running.origin}/setup`)
  await fill(page, { code: 'AAAA-BBBB', password: PASSWORD, repeated: PASSWORD })
  await press(page, 'Set the password')
  await inspect(page, 'small-wrong-setup')
  await running.app.operators.setPassword(PASSWORD)
  await page.goto(`${running.origin}/login`)
  await fill(page, { password: 'not this one at all' })
  await press(page, 'Sign in')
  await inspect(page, 'small-wrong-login')
  await signIn(page)
  await page.waitForURL(/\/account/)
  await wrongFactor(running, page)
  await page.goto(`${running.origin}/interaction/over`)
  await inspect(page, 'small-over')
  await page.goto(`${running.origin}/authorize?client_id=${'n'.repeat(200)}&redirect_uri=https://${LONG_HOST}/`)
  await inspect(page, 'small-unknown-client')
})

async function wrongFactor(running: RunningApp, page: Page): Promise<void> {
  await page.locator('#factor-password').fill(PASSWORD)
  await press(page, 'Set up a second factor')
  const secret = ((await page.locator('.code').first().textContent()) ?? '').replaceAll(/\s/g, '')
  const right = appCode(secret, Date.now())
  await fill(page, { code: right === '000000' ? '000001' : '000000' })
  await press(page, 'Turn it on')
  await inspect(page, 'small-wrong-code')
  await fill(page, { code: appCode(secret, Date.now()) })
  await press(page, 'Turn it on')
  await inspect(page, 'small-recovery-codes')
  const [recovery = ''] = await page.locator('.codes li').allTextContents()
  await page.goto(`${running.origin}/account`)
  for (const summary of await page.locator('summary').all()) await summary.click()
  await inspect(page, 'small-account-factor')
  await press(page, 'Sign out here')
  await inspect(page, 'small-login-factor')
  await fill(page, { password: PASSWORD, code: recovery })
  await press(page, 'Sign in')
  assert.equal(new URL(page.url()).pathname, '/account')
}
