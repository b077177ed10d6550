import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { cookieKeys, cookieMark } from '../../../src/operator/cookie-keys.ts'
import { rotateKey } from '../../../src/secrets/rotate.ts'
import { createSecretStore } from '../../../src/secrets/store.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 20_000
const HOUR_MS = 3_600_000
const MONTH_MS = 30 * 86_400_000

test(
  'a new key joins every month, two older ones are still believed, and all of it is sealed',
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
    const [, second = ''] = two
    assert.deepEqual([two.length, two[0]], [2, first], 'believed first, as others may not know it yet')
    time.now += 2 * HOUR_MS - 1
    assert.deepEqual(await cookieKeys(secrets, clock), [first, second])
    time.now += 1
    assert.deepEqual(await cookieKeys(secrets, clock), [second, first], 'signs once every process has looked')
    time.now += MONTH_MS
    assert.equal((await cookieKeys(secrets, clock)).at(-1), first)
    time.now += MONTH_MS
    const four = await cookieKeys(secrets, clock)
    assert.deepEqual([four.length, four.includes(first)], [3, false])
    assert.match(four[0] ?? '', /^[0-9a-z]+\.[\w-]{43}$/)
    assert.ok(!JSON.stringify(db.sqlite.prepare('SELECT * FROM secrets').all()).includes(four[0] ?? ''))
  },
)

test(
  'the mark of cookies stays when the key is rotated, and a copy of the database has its own',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const dataDir = dirname(db.path)
    const secrets = createSecretStore(db, openVault({ dataDir }), { now: () => 1 })
    const mark = await cookieMark(secrets, db.path)
    assert.match(mark, /^[0-9a-f]{8}$/)
    await rotateKey(db, openVault({ dataDir }))
    const later = createSecretStore(db, openVault({ dataDir }), { now: () => 2 })
    assert.equal(await cookieMark(later, db.path), mark)
    assert.notEqual(await cookieMark(later, '/copy/crow.db'), mark)
    const other = await temporaryDatabase(t)
    const others = createSecretStore(other, openVault({ dataDir: dirname(other.path) }), { now: () => 1 })
    assert.notEqual(await cookieMark(others, db.path), mark)
  },
)
