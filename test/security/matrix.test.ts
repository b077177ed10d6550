// Every route with every kind of credential, made from the table of routes: a new route is in here without anybody adding it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DoorName, RouteRow } from '../../plugins/armour/guard.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'

const timeout = 60_000
// The budget of strangers has its own tests; here it must not end the matrix.
const env = { CROW_LIMIT_STRANGER: '100000' }

type Credential = 'none' | 'malformed' | 'wrong' | 'expired' | 'revoked' | 'other scheme' | 'in the query' | 'good'
const CREDENTIALS: readonly Credential[] = [
  'none',
  'malformed',
  'wrong',
  'expired',
  'revoked',
  'other scheme',
  'in the query',
  'good',
]

/** What each door must answer: a status, or any but the refusals of a door. */
const EXPECTED: Partial<Record<DoorName, (credential: Credential) => number | 'let in'>> = {
  anyone: () => 'let in',
  caller: (credential) => (credential === 'good' ? 'let in' : 401),
}

async function secretsOf({ app, token }: RunningApp): Promise<Record<Credential, string | undefined>> {
  const expired = await app.tokens.create({ name: 'expired', expiresAt: Date.now() - 1 })
  const revoked = await app.tokens.create({ name: 'revoked' })
  await app.tokens.revoke(revoked.id)
  return {
    none: undefined,
    malformed: 'Bearer "quoted"',
    wrong: `Bearer crow_local_${'A'.repeat(43)}`,
    expired: `Bearer ${expired.secret}`,
    revoked: `Bearer ${revoked.secret}`,
    'other scheme': `Basic ${Buffer.from(`user:${token}`).toString('base64')}`,
    'in the query': undefined,
    good: `Bearer ${token}`,
  }
}

async function ask(
  running: RunningApp,
  row: RouteRow,
  credential: Credential,
  authorization: string | undefined,
): Promise<Response> {
  const query = credential === 'in the query' ? `?access_token=${running.token}&token=${running.token}` : ''
  const response = await fetch(`${running.origin}${row.path}${query}`, {
    method: row.method,
    headers: authorization === undefined ? {} : { authorization },
    signal: AbortSignal.timeout(10_000),
  })
  await response.body?.cancel()
  return response
}

test('every route answers every kind of credential as its door says', { timeout }, async (t) => {
  const running = await startApp(env)
  t.after(() => running.close())
  const secrets = await secretsOf(running)
  assert.ok(running.app.routeTable.length >= 4)
  for (const row of running.app.routeTable) {
    const door = row.doors[0]
    const expected = door === undefined ? undefined : EXPECTED[door]
    assert.ok(expected, `${row.path}: no expectation for the door ${door}`)
    for (const credential of CREDENTIALS) {
      const response = await ask(running, row, credential, secrets[credential])
      const what = `${row.method} ${row.path} with ${credential} credential: ${response.status}`
      const want = expected(credential)
      if (want === 'let in') assert.ok(![401, 403, 429].includes(response.status), what)
      else {
        assert.equal(response.status, want, what)
        const bad = credential !== 'none' && credential !== 'other scheme' && credential !== 'in the query'
        assert.equal(
          response.headers.get('www-authenticate'),
          bad ? 'Bearer realm="crow", error="invalid_token"' : 'Bearer realm="crow"',
          what,
        )
      }
    }
  }
})

test('a refusal at an MCP mount is JSON-RPC, anywhere else it is a problem', { timeout }, async (t) => {
  const running = await startApp(env)
  t.after(() => running.close())
  const refused = await fetch(`${running.origin}/memory/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  })
  assert.match(refused.headers.get('content-type') ?? '', /^application\/json/)
  const body: unknown = await refused.json()
  assert.partialDeepStrictEqual(body, { jsonrpc: '2.0', id: null, error: { data: { code: 'TOKEN_REQUIRED' } } })
  const lost = await fetch(`${running.origin}/nowhere`)
  assert.match(lost.headers.get('content-type') ?? '', /^application\/problem\+json/)
})

test(
  'without tokens the same routes are open to local programs and closed to foreign hosts and pages',
  { timeout },
  async (t) => {
    const running = await startApp({ ...env, CROW_NO_AUTH: '1' })
    t.after(() => running.close())
    for (const row of running.app.routeTable) {
      const open = await ask(running, row, 'none', undefined)
      assert.ok(![401, 403].includes(open.status), `${row.method} ${row.path}: ${open.status}`)
      const foreign = await running.app.inject({ method: 'GET', url: row.path, headers: { host: 'evil.example' } })
      const page = await running.app.inject({
        method: 'POST',
        url: row.path,
        headers: { origin: 'https://evil.example' },
      })
      assert.deepEqual([foreign.statusCode, page.statusCode], [403, 403], row.path)
    }
  },
)
