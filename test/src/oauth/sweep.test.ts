import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { createAuthorizations } from '../../../src/oauth/authorizations.ts'
import { createAdapter } from '../../../src/oauth/store/adapter.ts'
import { startOAuthSweep, sweepOAuth } from '../../../src/oauth/store/sweep.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 30_000
const DAY_MS = 86_400_000

const unavailable = (cause: unknown): Error => new Error('unavailable', { cause })

async function store(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-sweep-'))
  const db = await openDatabase({ dataDir })
  t.after(async () => {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const time = { now: 1_800_000_000_000 }
  const clock = { now: () => time.now }
  const models = createAdapter({ db, clock, onRevoked: () => undefined, usedUp: () => new Error('used'), unavailable })
  const count = (table: string): unknown => db.sqlite.prepare(`select count(*) from ${table}`).pluck().get()
  return { db, clock, time, models, count, authorizations: createAuthorizations(db, clock, () => undefined) }
}

test('what expired is deleted, and what can still be used stays', { timeout }, async (t) => {
  const { db, clock, time, models, count, authorizations } = await store(t)
  const access = models('AccessToken')
  await Promise.all(Array.from({ length: 1200 }, (_, made) => access.upsert(`short ${made}`, { grantId: 'g' }, 60)))
  await models('RefreshToken').upsert('long', { grantId: 'g', clientId: 'c' }, 30 * 86_400)
  await models('Grant').upsert('g', { clientId: 'c' }, 86_400 * 3650)
  await models('Grant').upsert('unredeemed', { clientId: 'c' }, 86_400 * 3650)
  const owner = { clientId: 'c', clientName: 'C', redirectHost: 'x', server: null, scopes: ['memory'] }
  await authorizations.add({ ...owner, grantId: 'g' })
  await authorizations.add({ ...owner, grantId: 'unredeemed' })
  time.now += 61_000
  assert.equal(await access.find('short 1'), undefined, 'expired before it is swept')
  assert.equal(await sweepOAuth(db, clock), 1200)
  assert.equal(count('authorizations'), 2)
  time.now += 3_600_000
  await sweepOAuth(db, clock)
  assert.equal(count('authorizations'), 1)
  assert.equal(count('oauth_tokens'), 2)
  assert.ok(await models('RefreshToken').find('long'))
  time.now += 31 * DAY_MS
  await sweepOAuth(db, clock)
  assert.equal(count('authorizations'), 0)
  assert.equal(count('oauth_tokens'), 0)
})

test('an authorization that is being refreshed right now stays', { timeout }, async (t) => {
  const { db, clock, time, models, count, authorizations } = await store(t)
  const keys = models('RefreshToken')
  await keys.upsert('old', { grantId: 'g', clientId: 'c' }, 30 * 86_400)
  await models('Grant').upsert('g', { clientId: 'c' }, 86_400 * 3650)
  const owner = { clientId: 'c', clientName: 'C', redirectHost: 'x', server: null, scopes: ['memory'] }
  await authorizations.add({ ...owner, grantId: 'g' })
  time.now += DAY_MS
  // Its access token has expired, the refresh token is used up, and the new one is not stored yet.
  await keys.consume('old')
  await sweepOAuth(db, clock)
  assert.equal(count('authorizations'), 1)
  time.now += DAY_MS
  await sweepOAuth(db, clock)
  assert.equal(count('authorizations'), 0)
})

test(
  'a client that nobody let in goes after a week, one that left after three months, one in use never',
  { timeout },
  async (t) => {
    const { db, clock, time, models, authorizations } = await store(t)
    const ids = (): unknown[] => db.sqlite.prepare('select id from oauth_clients order by id').pluck().all()
    for (const id of ['idle', 'left', 'used'])
      await models('Client').upsert(id, { client_id: id, redirect_uris: [] }, 0)
    for (const clientId of ['left', 'used'])
      await authorizations.add({
        clientId,
        clientName: '',
        redirectHost: '',
        server: null,
        scopes: [],
        grantId: clientId,
      })
    await models('RefreshToken').upsert('r', { clientId: 'used', grantId: 'used' }, 365 * 86_400)
    time.now += 8 * DAY_MS
    await sweepOAuth(db, clock)
    assert.deepEqual(ids(), ['left', 'used'])
    time.now += 90 * DAY_MS
    await sweepOAuth(db, clock)
    assert.deepEqual(ids(), ['used'])
  },
)

test('a flood of registrations pushes out its own, and nobody who was let in', { timeout }, async (t) => {
  const { models, authorizations, count } = await store(t)
  const clients = models('Client')
  await clients.upsert('mine', { client_id: 'mine', redirect_uris: [] }, 0)
  await authorizations.add({
    clientId: 'mine',
    clientName: '',
    redirectHost: '',
    server: null,
    scopes: [],
    grantId: 'g',
  })
  await Promise.all(
    Array.from({ length: 1010 }, (_, made) => clients.upsert(`flood ${made}`, { client_id: `flood ${made}` }, 0)),
  )
  assert.equal(count('oauth_clients'), 1001)
  assert.ok(await clients.find('mine'))
  assert.equal(await clients.find('flood 9'), undefined)
  assert.ok(await clients.find('flood 10'))
})

test('a code is consumed once, also by two at the same moment', { timeout }, async (t) => {
  const { models } = await store(t)
  const codes = models('AuthorizationCode')
  await codes.upsert('code', { grantId: 'g' }, 60)
  const outcomes = await Promise.allSettled([codes.consume('code'), codes.consume('code')])
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.ok((await codes.find('code'))?.consumed)
})

test('an interaction is kept without its own id and without the session cookie', { timeout }, async (t) => {
  const { db, models } = await store(t)
  const interactions = models('Interaction')
  const payload = {
    jti: 'secret-id',
    returnTo: 'https://gw.example/authorize/secret-id',
    session: { accountId: 'operator', uid: 'u', cookie: 'secret-cookie' },
  }
  await interactions.upsert('secret-id', payload, 60)
  assert.ok(!/secret-/.test(JSON.stringify(db.sqlite.prepare('select * from oauth_tokens').all())))
  const found = await interactions.find('secret-id')
  assert.equal(found?.['returnTo'], payload.returnTo)
  assert.equal(found?.jti, 'secret-id')
})

test('rows of an earlier process are swept, again and again, until it ends', { timeout }, async (t) => {
  const { db, clock, time, models, count } = await store(t)
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined }
  const stop = startOAuthSweep(db, clock, log, { firstMs: 1, everyMs: 1 })
  t.after(stop)
  for (const round of ['first', 'second']) {
    await models('AccessToken').upsert(round, { grantId: 'g' }, 60)
    time.now += 61_000
    await until(() => count('oauth_tokens') === 0)
  }
  await stop()
  await models('AccessToken').upsert('after the end', { grantId: 'g' }, 60)
  time.now += 61_000
  await db.write(() => undefined)
  assert.equal(count('oauth_tokens'), 1)
})
