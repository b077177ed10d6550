// One of every credential that somebody could hold up at a door: good ones, dead ones, and those of other doors.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { keyOf } from '../../src/oauth/store/conceal.ts'
import { signIn } from '../fixtures/sign-in.ts'
import { Browser } from '../plugins/oauth/browser.ts'
import { begin, codeIn, connect, newClient } from '../plugins/oauth/client.ts'
import type { OwnedApp } from './owned-app.ts'

/** Headers and query of a request that shows it. */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>
  readonly query?: string
}

const bearer = (token: string): Credential => ({ headers: { authorization: `Bearer ${token}` } })
const cookie = (text: string): Credential => ({ headers: { cookie: text } })
const random = (): string => randomBytes(32).toString('base64url')

/** Credentials that the door of AI clients has to tell apart, and what is for another server. */
export async function bearersOf(gateway: OwnedApp) {
  const { app, token, origin } = gateway
  const expired = await app.tokens.create({ name: 'expired', expiresAt: app.clock.now() - 1 })
  const revoked = await app.tokens.create({ name: 'revoked' })
  await app.tokens.revoke(revoked.id)
  const browser = new Browser(origin)
  const clientId = await newClient(gateway)
  const at = { resource: `${origin}/memory/mcp` }
  const good = await connect(gateway, clientId, { browser, at })
  const stale = await connect(gateway, clientId, { browser, at })
  const gone = await connect(gateway, clientId, { browser, at })
  const elsewhere = await connect(gateway, clientId, { browser, at: { resource: `${origin}/storage/mcp` } })
  const foreign = await connect(gateway, clientId, { browser, at: { resource: `${origin}/tools/mcp` } })
  const routed = await connect(gateway, clientId, { browser, at: { resource: `${origin}/router/mcp` } })
  const code = codeIn(await browser.authorize(begin(gateway, clientId, at).url))
  await expire(gateway, stale.access)
  const last = app.authorizations
    .list()
    .find(({ server, id }) => server === 'memory' && id === idOf(gateway, gone.access))
  assert.ok(last)
  await app.authorizations.revoke(last.id)
  return {
    'a malformed token': bearer('"quoted"'),
    'an empty token': { headers: { authorization: 'Bearer' } },
    'an unknown local token': bearer(`crow_local_${random()}`),
    'an expired local token': bearer(expired.secret),
    'a revoked local token': bearer(revoked.secret),
    'an unknown access token': bearer(`crow_access_${random()}`),
    'an expired access token': bearer(stale.access),
    'a revoked access token': bearer(gone.access),
    'a refresh token': bearer(good.refresh),
    'a code': bearer(code),
    'another scheme': { headers: { authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` } },
    'a token in the query': { headers: {}, query: `?access_token=${token}&token=${token}` },
    'an access token of memory': bearer(good.access),
    'an access token of storage': bearer(elsewhere.access),
    'an access token of tools': bearer(foreign.access),
    'an access token of router': bearer(routed.access),
    'a good local token': bearer(token),
  } satisfies Record<string, Credential>
}

/** The time passes for this one token. */
async function expire({ app }: OwnedApp, access: string): Promise<void> {
  const changed = await app.database.write(({ sqlite }) =>
    sqlite.prepare('UPDATE oauth_tokens SET expires_at = 1 WHERE id = ?').run(keyOf('AccessToken', access)),
  )
  assert.equal(changed.changes, 1)
}

const idOf = ({ app }: OwnedApp, access: string): number => Number(app.tokens.verify(access).caller.id.split(':')[1])

/** Cookies that the door of the owner has to tell apart; the good one is made anew for each route, because routes end sessions. */
export async function cookiesOf(gateway: OwnedApp) {
  const { app } = gateway
  const revoked = await signIn({ app })
  await app.operators.revokeAll()
  const good = await signIn({ app })
  const [operator, device] = good.split('; ').map((pair) => pair.split('='))
  const name = app.cookieJar.nameOf('operator', '')
  const [, value = ''] = operator ?? []
  assert.deepEqual([operator?.[0], device?.[0]], [name, app.cookieJar.nameOf('device', '')])
  return {
    'a malformed cookie': cookie(`${name}=%E0%A4%A`),
    'an unsigned cookie': cookie(`${name}=operator.${random()}`),
    'a cookie signed by another key': cookie(`${name}=operator.${random()}.${random()}`),
    'a cookie that was changed': cookie(`${name}=${value.replace(/^operator\.../, 'operator.xx')}`),
    'a revoked session': cookie(revoked),
    'the cookie of the device in place of the session': cookie(`${name}=${device?.[1]}`),
  } satisfies Record<string, Credential>
}

/** Signed in now, and the session lives. */
export const goodCookie = async ({ app }: OwnedApp): Promise<Credential> => cookie(await signIn({ app }))

/** Signed in once, and the session has ended by itself. */
export async function expiredCookie(gateway: OwnedApp): Promise<Credential> {
  gateway.time.offsetMs -= 31 * 86_400_000
  const text = await signIn(gateway)
  gateway.time.offsetMs += 31 * 86_400_000
  return cookie(text)
}
