// The answer of the consent form reaches every kind of client from a real Chromium, which drops a redirect that `form-action` of the
// page does not name, and says so nowhere but in its console.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { PASSWORD } from '../fixtures/sign-in.ts'
import { begin, newClient } from '../plugins/oauth/client.ts'
import { atConsent, launch, signIn, visitor, type Visitor } from './chromium.ts'
import { program } from './program.ts'

const timeout = 120_000
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'

async function start(t: TestContext): Promise<Visitor & { running: RunningApp }> {
  const running = await startApp()
  t.after(() => running.close())
  await running.app.operators.setPassword(PASSWORD)
  return { running, ...(await visitor(await launch(t), { ignoreHTTPSErrors: true })) }
}

async function ask(running: RunningApp, page: Page, redirectUri: string, clientId?: string): Promise<string> {
  const id = clientId ?? (await newClient(running, redirectUri))
  await page.goto(begin(running, id, { redirect_uri: redirectUri }).url)
  if (new URL(page.url()).pathname === '/login') await signIn(page)
  return id
}

const allow = (page: Page): Promise<void> => page.getByRole('button', { name: 'Allow what is ticked' }).click()
const deny = (page: Page): Promise<void> => page.getByRole('button', { name: 'Deny' }).click()

for (const host of ['127.0.0.1', 'localhost', 'app.example'])
  test(`both buttons of the consent form reach a client at ${host}`, { timeout }, async (t) => {
    const { running, page, complaints } = await start(t)
    const asks = await program(t, host)
    for (const [press, name] of [[deny, 'error'] as const, [allow, 'code'] as const]) {
      const received = asks.next()
      await ask(running, page, asks.redirectUri)
      await atConsent(page)
      await press(page)
      const query = await received
      assert.notEqual(query.get(name), null)
      assert.equal(query.get('state'), 'a state')
      await page.waitForURL(asks.redirectUri + '**')
    }
    assert.deepEqual(complaints, [])
  })

// Each in a browser of its own: over the page stands a question of the browser afterwards, whether to open the program.
for (const [press, name] of [[deny, 'error'] as const, [allow, 'code'] as const])
  test(`a private scheme is opened with the ${name} of the consent form`, { timeout }, async (t) => {
    const { running, context, page, complaints } = await start(t)
    await ask(running, page, CURSOR)
    await atConsent(page)
    const attempted = context.waitForEvent('request', (request: Request) => request.url().startsWith(CURSOR))
    await press(page)
    const { searchParams } = new URL((await attempted).url())
    assert.notEqual(searchParams.get(name), null)
    assert.equal(searchParams.get('state'), 'a state')
    assert.deepEqual(complaints, [])
  })

test('a web site whose consent is remembered gets its answer out of the login form', { timeout }, async (t) => {
  const { running, context, page, complaints } = await start(t)
  const asks = await program(t, 'app.example')
  const first = asks.next()
  const clientId = await ask(running, page, asks.redirectUri)
  await atConsent(page)
  await allow(page)
  await first
  await context.clearCookies()
  const second = asks.next()
  await ask(running, page, asks.redirectUri, clientId)
  assert.match((await second).get('code') ?? '', /^crow_code_/)
  await page.waitForURL(asks.redirectUri + '**')
  assert.deepEqual(complaints, [])
})
