// Local tokens: made once in clear, kept as a hash, refused the moment they are revoked.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/db/client.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { AccessError, DomainError } from '../../../src/errors.ts'
import { createLog } from '../../../src/lib/log.ts'
import { createLocalTokens } from '../../../src/oauth/local-tokens.ts'
import { digestOf } from '../../../src/oauth/verified.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 20_000
const log = createLog({ level: 'silent', write: () => undefined })

/** Tokens of a fresh database under a clock that the test moves. */
async function setUp(t: TestContext, options: { watch?: boolean; db?: Database } = {}) {
  const db = options.db ?? (await temporaryDatabase(t))
  const time = { now: 1_000_000 }
  const tokens = createLocalTokens(db, { now: () => time.now }, { watch: options.watch ?? false, log })
  t.after(() => tokens.close())
  /** As the door does it: verifies, and remembers what was good. */
  const verify = (secret: string) => {
    const entry = tokens.verify(secret)
    tokens.verified.remember(digestOf(secret), entry)
    return entry
  }
  return { db, time, tokens, verify }
}

const code = (expected: string) => (error: unknown) =>
  (error instanceof DomainError || error instanceof AccessError) && error.code === expected

test('a fresh token opens everything and says whose it is', { timeout }, async (t) => {
  const { tokens, verify } = await setUp(t)
  const { id, secret } = await tokens.create({ name: 'laptop' })
  assert.match(secret, /^crow_local_[\w-]{43}$/)
  assert.deepEqual(verify(secret).caller, { id: `local:${id}`, kind: 'local', scopes: 'all', client: 'laptop' })
})

test('a token with scopes grants these and no others', { timeout }, async (t) => {
  const { tokens, verify } = await setUp(t)
  const { secret } = await tokens.create({ name: 'reader', scopes: ['memory:read'] })
  assert.deepEqual(verify(secret).caller.scopes, new Set(['memory:read']))
})

test('the database never holds a token in clear', { timeout }, async (t) => {
  const { db, tokens } = await setUp(t)
  const { secret } = await tokens.create({ name: 'laptop' })
  const files = [db.path, `${db.path}-wal`].map((path) => readFileSync(path, 'latin1')).join('')
  assert.ok(files.includes('laptop'))
  assert.ok(!files.includes(secret.slice(11)))
})

test('unknown, malformed, expired and revoked tokens are refused alike', { timeout }, async (t) => {
  const { time, tokens, verify } = await setUp(t)
  const { id, secret } = await tokens.create({ name: 'short', expiresAt: time.now + 10 })
  assert.ok(verify(secret))
  time.now += 10
  assert.throws(() => verify(secret), code('TOKEN_INVALID'))
  const other = await tokens.create({ name: 'other' })
  await tokens.revoke('other')
  for (const bad of [
    other.secret,
    `crow_local_${'a'.repeat(43)}`,
    `${secret}x`,
    secret.slice(0, -1),
    '',
    "' OR 1=1 --",
  ]) {
    assert.throws(() => verify(bad), code('TOKEN_INVALID'), bad)
  }
  assert.deepEqual(
    tokens.list().map(({ state }) => state),
    ['expired', 'revoked'],
  )
  assert.equal(tokens.list()[0]?.id, id)
})

test(
  'a verified token is remembered until it expires, and forgotten as soon as any token is revoked',
  { timeout },
  async (t) => {
    const { time, tokens, verify } = await setUp(t)
    const kept = await tokens.create({ name: 'kept', expiresAt: time.now + 100 })
    await tokens.create({ name: 'gone' })
    verify(kept.secret)
    const digest = digestOf(kept.secret)
    assert.ok(tokens.verified.find(digest, time.now + 99))
    await tokens.revoke('gone')
    assert.equal(tokens.verified.find(digest, time.now), undefined)
    verify(kept.secret)
    assert.equal(tokens.verified.find(digest, time.now + 100), undefined)
  },
)

test('a revocation by another process is seen within a second', { timeout }, async (t) => {
  const { db, tokens, verify } = await setUp(t, { watch: true })
  const { secret, id } = await tokens.create({ name: 'laptop' })
  verify(secret)
  const elsewhere = await openDatabase({ path: db.path })
  t.after(() => elsewhere.close())
  const there = createLocalTokens(elsewhere, { now: () => 2_000_000 }, { watch: false, log })
  await there.revoke(id)
  const deadline = Date.now() + 1000
  while (tokens.verified.size > 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
  assert.throws(() => verify(secret), code('TOKEN_INVALID'))
  assert.equal(tokens.verified.find(digestOf(secret), 0), undefined)
})

test('the memory of verified tokens is bounded', { timeout }, async (t) => {
  const { db, tokens, verify } = await setUp(t)
  const made = await Promise.all(Array.from({ length: 1100 }, (_, index) => tokens.create({ name: `token ${index}` })))
  for (const { secret } of made) verify(secret)
  assert.equal(tokens.verified.size, 1000)
  assert.ok(db.sqlite.open)
})

test('rotating gives a new secret and ends the old one', { timeout }, async (t) => {
  const { tokens, verify } = await setUp(t)
  const old = await tokens.create({ name: 'laptop' })
  verify(old.secret)
  const fresh = await tokens.rotate('laptop')
  assert.equal(fresh.id, old.id)
  assert.throws(() => verify(old.secret), code('TOKEN_INVALID'))
  assert.equal(verify(fresh.secret).caller.id, `local:${old.id}`)
})

test('a name belongs to one live token, and is free again once that is revoked', { timeout }, async (t) => {
  const { tokens } = await setUp(t)
  await tokens.create({ name: 'laptop' })
  await assert.rejects(tokens.create({ name: 'laptop' }), code('TOKEN_NAME_TAKEN'))
  await tokens.revoke('laptop')
  await assert.rejects(tokens.revoke('laptop'), code('TOKEN_MISSING'))
  await tokens.create({ name: 'laptop' })
})

test('names and scopes that could not be shown or matched are refused', { timeout }, async (t) => {
  const { tokens } = await setUp(t)
  for (const name of ['', ' ', '12', 'a\nb', 'x'.repeat(81), 'a\u202eb', ' a']) {
    await assert.rejects(tokens.create({ name }), code('TOKEN_NAME_INVALID'), JSON.stringify(name))
  }
  for (const scopes of [[], ['Memory'], ['memory:write'], ['*']]) {
    await assert.rejects(tokens.create({ name: 'x', scopes }), code('TOKEN_SCOPE_INVALID'), JSON.stringify(scopes))
  }
})

test('the last use is shown at once, and written when the service closes, not on every use', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const { time, tokens, verify } = await setUp(t, { db })
  const { secret } = await tokens.create({ name: 'laptop' })
  const entry = verify(secret)
  for (const at of [time.now, time.now + 1, time.now + 2]) entry.used(at)
  const written = (): unknown => db.sqlite.prepare('SELECT last_used_at FROM local_tokens').pluck().get()
  assert.deepEqual([tokens.list()[0]?.lastUsedAt, written()], [time.now + 2, null])
  const closing = tokens.close()
  assert.equal(tokens.list()[0]?.lastUsedAt, time.now + 2, 'also while it is being written')
  await closing
  assert.deepEqual([tokens.list()[0]?.lastUsedAt, written()], [time.now + 2, time.now + 2])
})

test('a token with a new secret has not been used yet', { timeout }, async (t) => {
  const { time, tokens, verify } = await setUp(t)
  const { id, secret } = await tokens.create({ name: 'laptop' })
  verify(secret).used(time.now)
  await tokens.rotate(id)
  assert.equal(tokens.list()[0]?.lastUsedAt, null)
  await tokens.close()
  assert.equal(tokens.list()[0]?.lastUsedAt, null)
})
