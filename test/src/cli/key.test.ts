// `crow key`, and starts with a key that is not fit to guard anything.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { createSecretStore } from '../../../src/secrets/store.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 90_000

async function keep(dataDir: string, written: string | null = null): Promise<void> {
  const db = await openDatabase({ dataDir })
  await createSecretStore(db, openVault({ dataDir, written }), { now: () => 1 }).write(
    'provider/test',
    'sentinel-secret',
  )
  await db.close()
}

test('a key is rotated, named by its id, never shown, and the old one leaves the file', { timeout }, async (t) => {
  const dataDir = join(scratchFolder(t), 'data')
  const key = async (...args: string[]) =>
    await crow({ home: dataDir, cwd: '/' }, ['key', ...args, '--data-dir', dataDir])
  await keep(dataDir)
  const before = readFileSync(join(dataDir, 'crow.key'), 'utf8')
  const status = JSON.parse((await key('status', '--json')).out)
  assert.deepEqual([status.from, status.keys.length, status.sealed, status.unreadable], ['file', 1, 1, []])
  const rotated = await key('rotate', '--json')
  assert.equal(rotated.status, 0, rotated.err)
  const { key: id, sealed } = JSON.parse(rotated.out)
  assert.equal(sealed, 1)
  assert.notEqual(id, status.keys[0])
  const after = readFileSync(join(dataDir, 'crow.key'), 'utf8')
  assert.notEqual(after, before)
  const shown = await key('status')
  assert.match(shown.out, new RegExp(`^key ${id}, from .*crow\\.key\n1 secret sealed, all open\n$`))
  for (const line of after.split('\n').filter((one) => /^[\w-]{43}$/.test(one)))
    assert.ok(![rotated.out, rotated.err, shown.out].some((text) => text.includes(line)))
  const trail = await crow({ home: dataDir, cwd: '/' }, ['audit', '--data-dir', dataDir, '--json'])
  assert.match(trail.out, /"tool":"key_rotate"/)
})

test('another key opens nothing, and the status says what', { timeout }, async (t) => {
  const dataDir = join(scratchFolder(t), 'data')
  await keep(dataDir)
  const env = { CROW_KEY: randomBytes(32).toString('base64url') }
  const run = await crow({ home: dataDir, cwd: '/', env }, ['key', 'status', '--data-dir', dataDir])
  assert.equal(run.status, 1)
  assert.match(run.out, /cannot be opened: secret\/provider\/test/)
  const rotated = await crow({ home: dataDir, cwd: '/', env }, ['key', 'rotate', '--data-dir', dataDir])
  assert.equal(rotated.status, 78)
  assert.match(rotated.err, /CROW_KEY names one key/)
})

test('a key file that others can read stops every start with exit code 78', { timeout }, async (t) => {
  const dataDir = join(scratchFolder(t), 'data')
  await keep(dataDir)
  chmodSync(join(dataDir, 'crow.key'), 0o644)
  for (const args of [
    ['serve', '--port', '0'],
    ['stdio', 'memory'],
    ['key', 'rotate'],
  ]) {
    const run = await crow({ home: dataDir, cwd: '/' }, [...args, '--data-dir', dataDir])
    assert.equal(run.status, 78, args.join(' '))
    assert.match(run.err, /Other users .*crow\.key[\s\S]*chmod 600/)
  }
  const doctor = await crow({ home: dataDir, cwd: '/' }, ['doctor', '--data-dir', dataDir])
  assert.equal(doctor.status, 1)
  assert.match(doctor.out, /fail +key .*Other users/)
})

test(
  'a key that is none, or weak, or a weak set-up token stops the start and is not repeated',
  { timeout },
  async (t) => {
    const dataDir = join(scratchFolder(t), 'data')
    await keep(dataDir)
    const start = async (env: Record<string, string>) =>
      await crow({ home: dataDir, cwd: '/', env }, ['serve', '--port', '0', '--data-dir', dataDir])
    for (const [name, value, why] of [
      ['CROW_KEY', 'sentinel-password', /CROW_KEY is not a key/],
      ['CROW_KEY', Buffer.alloc(32, 7).toString('hex'), /CROW_KEY is too weak/],
      ['CROW_SETUP_TOKEN', 'sentinel', /CROW_SETUP_TOKEN is too weak/],
      ['CROW_SETUP_TOKEN', 'a'.repeat(40), /CROW_SETUP_TOKEN is too weak/],
    ] as const) {
      const run = await start({ [name]: value })
      assert.equal(run.status, 78, `${name} ${run.err}`)
      assert.match(run.err, why)
      assert.ok(!run.err.includes(value))
    }
    writeFileSync(join(dataDir, 'crow.key'), 'nothing like a key\n', { mode: 0o600 })
    const run = await start({})
    assert.equal(run.status, 78)
    assert.match(run.err, /crow\.key is not a key/)
  },
)
