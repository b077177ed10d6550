// What reaches an authorization server that has been running for hours.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Browser } from './browser.ts'
import { begin, newClient } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000
const HOUR_MS = 3_600_000

/** An app whose hours pass at once. */
async function timedApp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  return oauthApp(t)
}

test('the cookies of an authorization are signed with the keys of now', { timeout }, async (t) => {
  const app = await timedApp(t)
  const clientId = await newClient(app)
  const { secrets } = app.app
  const browser = new Browser(app.origin)
  const stale = new Browser(app.origin)
  const inside = async (visitor: Browser): Promise<string> => {
    const { headers } = await visitor.fetch(begin(app, clientId).url)
    return new URL(headers.get('location') ?? '', app.origin).href
  }
  const before = await inside(stale)
  const fresh = ['one', 'two', 'three'].map((key) => `${Date.now().toString(36)}.${key}`)
  await secrets.write('cookies/keys', JSON.stringify(fresh))
  t.mock.timers.tick(HOUR_MS)
  // A cookie that a key of before signed is worth nothing now.
  let answered = 303
  for (let turn = 0; turn < 500 && answered === 303; turn++) answered = (await stale.fetch(before)).status
  assert.equal(answered, 400)
  const after = await inside(browser)
  const { status, headers } = await browser.fetch(after)
  assert.equal(status, 303, 'a new one is believed')
  assert.match(headers.get('location') ?? '', /\/login/)
})
