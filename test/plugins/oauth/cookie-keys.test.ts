// The keys that sign the cookies of an authorization, in a gateway that runs for months.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../fixtures/sse.ts'
import { Browser } from './browser.ts'
import { begin, CLOSE, newClient } from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MONTH_MS = 30 * 24 * HOUR_MS

/** The number of the key that signed the cookies of a new authorization. */
async function signedBy({ app, origin }: OAuthApp): Promise<number> {
  const clientId = await newClient({ origin })
  const { headers } = await fetch(begin({ origin }, clientId).url, { redirect: 'manual', headers: CLOSE })
  const pairs = headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  const name = app.cookieJar.nameOf('interaction', '')
  const cookie = pairs.find((pair) => pair.startsWith(`${name}=`)) ?? ''
  const signature = pairs.find((pair) => pair.startsWith(`${name}.sig=`))?.split('=')[1]
  return app.cookieJar.keys.findIndex((key) => createHmac('sha1', key).update(cookie).digest('base64url') === signature)
}

test('a new cookie key reaches the authorization server of a gateway that runs', { timeout }, async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const app = await oauthApp(t)
  const { cookieJar } = app.app
  assert.equal(await signedBy(app), 0)
  const [old] = cookieJar.keys
  const look = async (afterMs: number): Promise<void> => {
    const before = cookieJar.keys
    app.time.offsetMs += afterMs
    t.mock.timers.tick(HOUR_MS)
    await until(() => cookieJar.keys !== before, 'the keys are looked at')
  }
  await look(MONTH_MS)
  assert.deepEqual([cookieJar.keys.length, cookieJar.keys[0]], [2, old])
  await look(2 * HOUR_MS - MINUTE_MS)
  // Whoever begins just before another key signs goes on after it.
  const clientId = await newClient(app)
  const browser = new Browser(app.origin)
  const begun = begin(app, clientId).url
  const shown = await browser.fetch(begun)
  await look(MINUTE_MS)
  assert.deepEqual([cookieJar.keys.length, cookieJar.keys[1]], [2, old])
  assert.equal(await signedBy(app), 0)
  const next = new URL(shown.headers.get('location') ?? '', app.origin)
  await browser.logIn()
  assert.equal((await browser.fetch(next.href)).status, 303)
  assert.equal((await browser.fetch(next.href.replace('/interaction/', '/authorize/'))).status, 303)
})
