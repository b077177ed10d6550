// Every route with every kind of credential, made from the table of routes: a new route is in here without anybody adding it.
// What stands behind `applicant` judges for itself, so its answers are listed by hand, and a path that is not listed fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { DoorName, RouteRow } from '../../plugins/armour/guard.ts'
import { bearersOf, cookiesOf, expiredCookie, goodCookie, type Credential } from './credentials.ts'
import { ownedApp, type OwnedApp } from './owned-app.ts'

const timeout = 180_000

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const HOST = 'localhost:3001'
let visitors = 0

/** Asks from an address of its own, so that no budget of few attempts ends the matrix. Hangs up once the answer began. */
async function ask({ app }: OwnedApp, row: Pick<RouteRow, 'method' | 'path'>, shown: Credential): Promise<Answer> {
  visitors += 1
  const reply = await app.inject({
    method: METHODS.find((method) => method === row.method) ?? 'GET',
    url: row.path.replaceAll(/:\w+/g, 'unknown') + (shown.query ?? ''),
    headers: { host: HOST, ...shown.headers },
    remoteAddress: `10.${visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`,
    payloadAsStream: true,
  })
  reply.stream().destroy()
  return { status: reply.statusCode, headers: reply.headers }
}

const ours = { 'sec-fetch-site': 'same-origin' } as const
const isSafe = ({ method }: RouteRow): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)
const rowsOf = ({ app }: OwnedApp, door: DoorName): RouteRow[] =>
  app.routeTable.filter(({ doors }) => doors[0] === door)
const isIn = ({ status }: Answer): boolean => ![401, 403, 429].includes(status)

async function gateway(t: TestContext, env: Record<string, string> = {}) {
  const app = await ownedApp(t, env)
  const bearers = await bearersOf(app)
  const cookies = { ...(await cookiesOf(app)), 'an expired session': await expiredCookie(app) }
  return { app, bearers, cookies }
}

test('every route stands behind a door whose answers are known here', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const known = new Set<DoorName>(['anyone', 'applicant', 'caller', 'operator'])
  for (const { path, doors } of app.app.routeTable) {
    const [door, ...gates] = doors
    assert.ok(door !== undefined && known.has(door), `${path} behind ${door}`)
    assert.deepEqual(gates, door === 'caller' ? ['peer-gate'] : [], path)
  }
  for (const door of known) assert.ok(rowsOf(app, door).length > 0, door)
})

test('what is for anyone answers alike whatever is held up', { timeout }, async (t) => {
  const { app, bearers, cookies } = await gateway(t)
  for (const row of rowsOf(app, 'anyone')) {
    const { status } = await ask(app, row, { headers: {} })
    for (const [what, credential] of Object.entries({ ...bearers, ...cookies }))
      assert.equal((await ask(app, row, credential)).status, status, `${row.method} ${row.path} with ${what}`)
    assert.ok(status < 400, `${row.method} ${row.path}: ${status}`)
  }
})

test(
  'a route for AI clients opens to a token that is alive and for it, and to nothing else',
  { timeout },
  async (t) => {
    const { app, bearers, cookies } = await gateway(t)
    const good = await goodCookie(app)
    const own = { headers: { ...good.headers, ...ours } }
    const shown: Record<string, Credential> = {
      ...bearers,
      ...cookies,
      'the session of the owner': own,
      nothing: { headers: {} },
    }
    for (const row of rowsOf(app, 'caller')) {
      const server = serverOf(row)
      const opens = new Set(['a good local token', `an access token of ${server}`])
      for (const [what, credential] of Object.entries(shown)) {
        const answer = await ask(app, row, credential)
        const told = `${row.method} ${row.path} with ${what}: ${answer.status}`
        if (opens.has(what)) assert.ok(isIn(answer), told)
        else {
          assert.equal(answer.status, 401, told)
          assert.equal(answer.headers['www-authenticate'], challengeOf(row, server, isBearer(credential)), told)
        }
      }
    }
  },
)

const serverOf = ({ path }: RouteRow): string => /^\/(storage|tools|router)\//.exec(path)?.[1] ?? 'memory'

/** The router has no scope of its own: it offers those of the servers behind it. */
const scopesOf = (server: string): string =>
  (server === 'router' ? ['memory', 'storage', 'tools'] : [server]).map((id) => `${id} ${id}:read`).join(' ')

/** No error where no bearer credential came (RFC 6750 §3.1); always the document of this very address, or of the stream it is for (RFC 9728 §5.1). */
function challengeOf({ path }: RouteRow, server: string, isBad: boolean): string {
  const error = isBad ? ', error="invalid_token"' : ''
  const document = `http://${HOST}/.well-known/oauth-protected-resource${path.replace(/\/messages$/, '/sse')}`
  return `Bearer realm="crow"${error}, scope="${scopesOf(server)}", resource_metadata="${document}"`
}

const isBearer = ({ headers }: Credential): boolean => headers['authorization']?.startsWith('Bearer') === true

test('a route of the owner opens to a session that lives, and to nothing else', { timeout }, async (t) => {
  const { app, bearers, cookies } = await gateway(t)
  for (const row of rowsOf(app, 'operator')) {
    for (const [what, credential] of Object.entries({ ...bearers, ...cookies, nothing: { headers: {} } })) {
      const answer = await ask(app, row, { ...credential, headers: { ...credential.headers, ...ours } })
      const told = `${row.method} ${row.path} with ${what}: ${answer.status}`
      assert.equal(answer.status, row.answers === 'html' ? 303 : 401, told)
      if (row.answers === 'html') assert.match(String(answer.headers['location']), /^\/login\?next=/, told)
    }
    const { headers } = await goodCookie(app)
    const foreign = await ask(app, row, { headers: { ...headers, 'sec-fetch-site': 'cross-site' } })
    if (!isSafe(row)) assert.equal(foreign.status, 403, `${row.method} ${row.path} from a page of another site`)
    const answer = await ask(app, row, { headers: { ...headers, ...ours } })
    const told = `${row.method} ${row.path}: ${answer.status} ${String(answer.headers['location'])}`
    assert.ok(isIn(answer) && !String(answer.headers['location']).startsWith('/login'), told)
  }
})

test('the signature of a cookie is looked at, and the name in it', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const row = { method: 'GET', path: '/account' }
  const { headers } = await goodCookie(app)
  const text = headers['cookie'] ?? ''
  const name = app.app.cookieJar.nameOf('operator', '')
  assert.equal((await ask(app, row, { headers })).status, 200)
  for (const changed of [
    text.replace(new RegExp(`(${name}=[^;]*)..(;|$)`), '$1xx$2'),
    text.replace(new RegExp(`(${name}=[^;.]*\\.[^;.]*)\\.[^;]*`), '$1'),
    text.replace(`${name}=operator`, `${name}=device`),
  ]) {
    assert.notEqual(changed, text)
    assert.equal((await ask(app, row, { headers: { cookie: changed } })).status, 303, changed)
  }
})

/** What each route behind `applicant` answers to an empty request, whatever credential comes with it. */
const APPLICANT: Readonly<Record<string, number>> = {
  // Set up already, so on to the login.
  'GET /setup': 303,
  'POST /setup': 403,
  'GET /login': 200,
  'POST /login': 403,
  'POST /logout': 403,
  // Nothing was asked for; 401 for the unknown client of a Basic header.
  'POST /token': 400,
  'POST /register': 400,
  'POST /revoke': 400,
  'GET /jwks': 200,
  'OPTIONS /token': 204,
  'OPTIONS /register': 204,
  'OPTIONS /revoke': 204,
  'OPTIONS /jwks': 204,
  // Came under another name of this machine: sent to the issuer's before anything is looked at.
  'GET /authorize': 303,
  'GET /authorize/:uid': 303,
  // Begun by nobody.
  'GET /interaction/:uid': 400,
  'POST /interaction/:uid': 403,
}

test('no credential of a door opens anything where credentials are asked for', { timeout }, async (t) => {
  const { app, bearers, cookies } = await gateway(t)
  const rows = rowsOf(app, 'applicant')
  const listed = [...Object.keys(APPLICANT), 'POST /introspect']
  assert.deepEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted(), listed.toSorted())
  for (const row of rows.filter(({ path }) => path !== '/introspect')) {
    const name = `${row.method} ${row.path}`
    for (const [what, credential] of Object.entries({ ...bearers, ...cookies, nothing: { headers: {} } })) {
      const { status } = await ask(app, row, credential)
      const isClients = name === 'POST /token' || name === 'POST /revoke'
      const wanted = isClients && what === 'another scheme' ? 401 : APPLICANT[name]
      assert.equal(status, wanted, `${name} with ${what}`)
    }
  }
})

test('of all credentials only a local token may ask about tokens', { timeout }, async (t) => {
  const { app, bearers, cookies } = await gateway(t)
  const row = { method: 'POST', path: '/introspect' }
  for (const [what, credential] of Object.entries({ ...bearers, ...cookies, nothing: { headers: {} } })) {
    const { status } = await ask(app, row, credential)
    if (what === 'a good local token') assert.equal(status, 400, `${what}: let in, and asked nothing`)
    else assert.equal(status, 401, what)
  }
})

test('a refusal at an MCP mount is JSON-RPC, anywhere else it is a problem', { timeout }, async (t) => {
  const { app } = await ownedApp(t)
  const refused = await app.inject({
    method: 'POST',
    url: '/memory/mcp',
    headers: { 'content-type': 'application/json' },
    payload: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  })
  assert.match(String(refused.headers['content-type']), /^application\/json/)
  assert.partialDeepStrictEqual(refused.json(), {
    jsonrpc: '2.0',
    id: null,
    error: { data: { code: 'TOKEN_REQUIRED' } },
  })
  const lost = await app.inject('/nowhere')
  assert.match(String(lost.headers['content-type']), /^application\/problem\+json/)
})

test(
  'without tokens the mounts are open to local programs, and what is the owner’s stays his',
  { timeout },
  async (t) => {
    const app = await ownedApp(t, { CROW_NO_AUTH: '1' })
    const nothing = { headers: {} }
    assert.deepEqual(rowsOf(app, 'caller'), [])
    for (const row of rowsOf(app, 'loopback-caller')) {
      const answer = await ask(app, row, nothing)
      assert.ok(isIn(answer), `${row.method} ${row.path}: ${answer.status}`)
    }
    for (const row of rowsOf(app, 'operator'))
      assert.equal((await ask(app, row, nothing)).status, row.answers === 'html' ? 303 : 401, row.path)
  },
)

test(
  'with and without tokens every route is closed to foreign names, and to pages it is not for',
  { timeout },
  async (t) => {
    for (const env of [{}, { CROW_NO_AUTH: '1' }]) {
      const app = await ownedApp(t, env)
      const { headers } = await goodCookie(app)
      const every = { authorization: `Bearer ${app.token}`, ...headers }
      for (const row of app.app.routeTable) {
        const name = `${row.method} ${row.path}`
        for (const host of ['evil.example', 'localhost.evil.example', 'evil.example:80'])
          assert.equal((await ask(app, row, { headers: { ...every, host } })).status, 403, `${name} at ${host}`)
        // Standards want any page to reach these; no cookie counts there.
        if (row.answers === 'oauth' && row.path !== '/introspect') continue
        for (const origin of [
          'https://evil.example',
          'null',
          'http://localhost.evil.example',
          'http://localhost@evil.example',
        ])
          assert.equal((await ask(app, row, { headers: { ...every, origin } })).status, 403, `${name} from ${origin}`)
      }
    }
  },
)
