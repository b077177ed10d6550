import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { cookieKeys } from '../../../src/operator/cookie-keys.ts'
import { createSecretStore } from '../../../src/secrets/store.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 20_000
const MONTH_MS = 30 * 86_400_000

test(
  'a new key joins in front every month, two older ones are still believed, and all of it is sealed',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const time = { now: Date.UTC(2026, 0, 1) }
    const clock = { now: () => time.now }
    const secrets = createSecretStore(db, openVault({ dataDir: dirname(db.path) }), clock)
    const [first = ''] = await cookieKeys(secrets, clock)
    time.now += MONTH_MS - 1
    assert.deepEqual(await cookieKeys(secrets, clock), [first])
    time.now += 1
    const two = await cookieKeys(secrets, clock)
    assert.deepEqual([two.length, two[1]], [2, first])
    time.now += MONTH_MS
    assert.equal((await cookieKeys(secrets, clock)).at(-1), first)
    time.now += MONTH_MS
    const four = await cookieKeys(secrets, clock)
    assert.deepEqual([four.length, four.includes(first)], [3, false])
    assert.match(four[0] ?? '', /^[0-9a-z]+\.[\w-]{43}$/)
    assert.ok(!JSON.stringify(db.sqlite.prepare('SELECT * FROM secrets').all()).includes(four[0] ?? ''))
  },
)
