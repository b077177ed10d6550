import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDatabase, type Database } from '../../../src/db/client.ts'
import { operators } from '../../../src/db/schema/operator.ts'
import { GatewayError } from '../../../src/errors.ts'
import { freshKey, writeKey } from '../../../src/secrets/key.ts'
import { TOTP_PURPOSE } from '../../../src/secrets/queries.ts'
import { rotateKey } from '../../../src/secrets/rotate.ts'
import { createSecretStore } from '../../../src/secrets/store.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const options = { timeout: 20_000 }
const clock = { now: () => 1000 }
const code = (expected: string) => (error: unknown) => error instanceof GatewayError && error.code === expected

test('a secret is kept under its name, sealed, and gone when removed', options, async (t) => {
  const db = await temporaryDatabase(t)
  const store = createSecretStore(db, openVault({ dataDir: dirname(db.path) }), clock)
  assert.equal(store.read('provider/openai'), undefined)
  await store.write('provider/openai', 'sk-SENTINEL')
  await store.write('provider/openai', 'sk-SENTINEL-2')
  assert.equal(store.read('provider/openai'), 'sk-SENTINEL-2')
  assert.ok(!JSON.stringify(db.sqlite.prepare('SELECT * FROM secrets').all()).includes('SENTINEL'))
  await store.remove('provider/openai')
  assert.equal(store.read('provider/openai'), undefined)
})

test('of many that make a secret at once, all get the same one', options, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const vault = openVault({ dataDir: dirname(db.path) })
  const [one, another] = [createSecretStore(db, vault, clock), createSecretStore(other, vault, clock)]
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? one : another).readOrMake('cookies', () => `made by ${index}`),
    ),
  )
  assert.equal(new Set(made).size, 1)
})

test('a sealed secret moved to another name does not open', options, async (t) => {
  const db = await temporaryDatabase(t)
  const store = createSecretStore(db, openVault({ dataDir: dirname(db.path) }), clock)
  await store.write('one', 'value')
  db.sqlite.exec(`UPDATE secrets SET name = 'two'`)
  assert.throws(() => store.read('two'), code('SECRET_UNREADABLE'))
})

test(
  'rotating seals everything anew; the old key opens nothing, and a process that runs goes on',
  options,
  async (t) => {
    const db = await temporaryDatabase(t)
    const dataDir = dirname(db.path)
    const path = join(dataDir, 'crow.key')
    const running = openVault({ dataDir })
    const old = readFileSync(path, 'utf8')
    const store = createSecretStore(db, running, clock)
    await store.write('one', 'first')
    await db.write(({ orm }) =>
      orm
        .insert(operators)
        .values({
          id: 1,
          passwordHash: '',
          passwordChangedAt: 0,
          createdAt: 0,
          totpSealed: running.seal('totp', TOTP_PURPOSE),
        })
        .run(),
    )
    const before = db.sqlite.prepare('SELECT sealed FROM secrets').pluck().get()
    const { key, sealed } = await rotateKey(db, openVault({ dataDir }))
    assert.equal(sealed, 2)
    assert.notEqual(db.sqlite.prepare('SELECT sealed FROM secrets').pluck().get(), before)
    assert.ok(!readFileSync(path, 'utf8').includes(old.trim().split('\n').at(-1) ?? '?'))
    assert.equal(store.read('one'), 'first')
    await store.write('two', 'second')
    const fresh = createSecretStore(db, openVault({ dataDir }), clock)
    assert.deepEqual([fresh.read('one'), fresh.read('two')], ['first', 'second'])
    assert.equal(
      db.sqlite.prepare(`SELECT sealed FROM secrets WHERE name = 'two'`).pluck().get()?.toString().split('.')[1],
      key,
    )
  },
)

test('a rotation that was interrupted loses nothing and is finished by the next', options, async (t) => {
  const db = await temporaryDatabase(t)
  const dataDir = dirname(db.path)
  const vault = openVault({ dataDir })
  const store = createSecretStore(db, vault, clock)
  await store.write('one', 'first')
  vault.ring.replace?.([freshKey(), ...vault.ring.keys()])
  assert.equal(createSecretStore(db, openVault({ dataDir }), clock).read('one'), 'first')
  await rotateKey(db, openVault({ dataDir }))
  assert.equal(createSecretStore(db, openVault({ dataDir }), clock).read('one'), 'first')
  assert.equal(openVault({ dataDir }).ring.keys().length, 1)
})

test('of two rotations at once, the slower one leaves the key of the faster one in the file', options, async (t) => {
  const db = await temporaryDatabase(t)
  const dataDir = dirname(db.path)
  await createSecretStore(db, openVault({ dataDir }), clock).write('one', 'first')
  const faster = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<undefined>()
  let writes = 0
  const slow: Database = {
    ...db,
    async write(work) {
      // Its first write is over for it only when the other rotation has come and gone.
      const isFirst = ++writes === 1
      if (isFirst) begun.resolve(undefined)
      const done = await db.write(work)
      if (isFirst) await faster.promise
      return done
    },
  }
  const slower = rotateKey(slow, openVault({ dataDir }))
  await begun.promise
  const { key } = await rotateKey(db, openVault({ dataDir }))
  faster.resolve(undefined)
  await slower
  assert.equal(createSecretStore(db, openVault({ dataDir }), clock).read('one'), 'first')
  assert.deepEqual(
    openVault({ dataDir })
      .ring.keys()
      .map(({ id }) => id),
    [key],
  )
})

test('a rotation that meets a text it cannot open changes nothing', options, async (t) => {
  const db = await temporaryDatabase(t)
  const dataDir = dirname(db.path)
  const store = createSecretStore(db, openVault({ dataDir }), clock)
  await store.write('good', 'value')
  await createSecretStore(db, openVault({ dataDir, written: writeKey(freshKey()) }), clock).write('strange', 'value')
  const file = readFileSync(join(dataDir, 'crow.key'), 'utf8')
  await assert.rejects(rotateKey(db, openVault({ dataDir })), code('SECRET_UNREADABLE'))
  assert.equal(readFileSync(join(dataDir, 'crow.key'), 'utf8'), file)
  assert.equal(createSecretStore(db, openVault({ dataDir }), clock).read('good'), 'value')
})

test('two rotations at once leave the key that seals', options, async (t) => {
  const db = await temporaryDatabase(t)
  const dataDir = dirname(db.path)
  await createSecretStore(db, openVault({ dataDir }), clock).write('one', 'first')
  const overtaken: Database = {
    ...db,
    async write(work) {
      const result = await db.write(work)
      await rotateKey(db, openVault({ dataDir }))
      return result
    },
  }
  await rotateKey(overtaken, openVault({ dataDir }))
  const vault = openVault({ dataDir })
  assert.equal(createSecretStore(db, vault, clock).read('one'), 'first')
  assert.equal(vault.ring.keys().length, 1)
})

test('keys of the environment are rotated by naming both, and one alone is refused', options, async (t) => {
  const db = await temporaryDatabase(t)
  const dataDir = dirname(db.path)
  const [old, next] = [writeKey(freshKey()), writeKey(freshKey())]
  await createSecretStore(db, openVault({ dataDir, written: old }), clock).write('one', 'first')
  await assert.rejects(rotateKey(db, openVault({ dataDir, written: old })), code('KEY_SINGLE'))
  assert.equal((await rotateKey(db, openVault({ dataDir, written: `${next},${old}` }))).sealed, 1)
  assert.equal(createSecretStore(db, openVault({ dataDir, written: next }), clock).read('one'), 'first')
})
