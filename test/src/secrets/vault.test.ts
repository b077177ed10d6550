import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { GatewayError } from '../../../src/errors.ts'
import { freshKey, readKey, writeKey } from '../../../src/secrets/key.ts'
import { openVault } from '../../../src/secrets/vault.ts'

const options = { timeout: 20_000 }
const code = (expected: string) => (error: unknown) => error instanceof GatewayError && error.code === expected

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'crow-vault-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('any text opens again under its purpose, and no two seals are alike', options, (t) => {
  const vault = openVault({ dataDir: folder(t) })
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, purpose) => {
      const [one, other] = [vault.seal(plain, purpose), vault.seal(plain, purpose)]
      assert.equal(vault.open(one, purpose), plain)
      assert.notEqual(one, other)
    }),
  )
})

test('a sealed text does not open under another purpose, another key, or with any character changed', options, (t) => {
  const vault = openVault({ dataDir: folder(t) })
  const sealed = vault.seal('a secret', 'secret/one')
  assert.throws(() => vault.open(sealed, 'secret/two'), code('SECRET_UNREADABLE'))
  assert.throws(() => openVault({ dataDir: folder(t) }).open(sealed, 'secret/one'), code('SECRET_UNREADABLE'))
  for (let at = 0; at < sealed.length - 1; at++) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    assert.throws(() => vault.open(changed, 'secret/one'), code('SECRET_UNREADABLE'), changed)
  }
  for (const text of ['', 'v1', 'v1..', 'v1.a.b', sealed.slice(0, 20)])
    assert.throws(() => vault.open(text, 'secret/one'), code('SECRET_UNREADABLE'), text)
})

test('nothing of the secret or the key is in the sealed text or in the refusal', options, (t) => {
  const dataDir = folder(t)
  const vault = openVault({ dataDir })
  const sealed = vault.seal('SENTINEL', 'secret/one')
  assert.ok(!Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes('SENTINEL'))
  try {
    vault.open(sealed, 'secret/two')
    assert.fail('opened')
  } catch (error) {
    assert.ok(error instanceof GatewayError)
    const key = readFileSync(join(dataDir, 'crow.key'), 'utf8').trim().split('\n').at(-1) ?? ''
    assert.ok(!`${error.message}${error.hint}${error.stack}`.includes(key))
  }
})

test('the key file is made for its owner only and found again', options, (t) => {
  const dataDir = folder(t)
  const sealed = openVault({ dataDir }).seal('kept', 'x')
  assert.equal(statSync(join(dataDir, 'crow.key')).mode & 0o777, 0o600)
  assert.equal(openVault({ dataDir }).open(sealed, 'x'), 'kept')
  assert.deepEqual(openVault({ dataDir }).derive('a'), openVault({ dataDir }).derive('a'))
  assert.notDeepEqual(openVault({ dataDir }).derive('a'), openVault({ dataDir }).derive('b'))
  assert.deepEqual(readdirSync(dataDir), ['crow.key'])
})

test('a key that others can read, that is weak, or is none, is refused in one sentence', options, (t) => {
  const dataDir = folder(t)
  const path = join(dataDir, 'crow.key')
  openVault({ dataDir })
  for (const mode of [0o604, 0o640, 0o620, 0o602]) {
    chmodSync(path, mode)
    assert.throws(() => openVault({ dataDir }), code('KEY_EXPOSED'))
  }
  chmodSync(path, 0o600)
  for (const text of ['', '# only a comment\n', 'short', 'A'.repeat(43), '0'.repeat(64), 'x'.repeat(500)]) {
    writeFileSync(path, text)
    assert.throws(() => openVault({ dataDir }), code('KEY_INVALID'), JSON.stringify(text))
    if (!text.startsWith('#')) assert.throws(() => openVault({ dataDir, written: text }), code('KEY_INVALID'))
  }
})

test(
  'a key in the environment is read in both spellings, several of them newest first, and no file is made',
  options,
  (t) => {
    const dataDir = folder(t)
    const [old, next] = [freshKey(), freshKey()]
    const hex = old.bytes.toString('hex')
    assert.deepEqual(readKey(hex), readKey(writeKey(old)))
    const sealed = openVault({ dataDir, written: hex }).seal('kept', 'x')
    const both = openVault({ dataDir, written: `${writeKey(next)}, ${hex}` })
    assert.equal(both.open(sealed, 'x'), 'kept')
    assert.equal(both.seal('new', 'x').split('.')[1], next.id)
    assert.deepEqual(readdirSync(dataDir), [])
  },
)

test('first starts at once make one key between them', { timeout: 60_000 }, async (t) => {
  const dataDir = folder(t)
  const script = `import { openVault } from ${JSON.stringify(import.meta.resolve('../../../src/secrets/vault.ts'))}
    console.log(openVault({ dataDir: process.argv[1] }).ring.keys()[0].id)`
  const run = promisify(execFile)
  const starts = Array.from({ length: 6 }, () =>
    run(process.execPath, ['--input-type=module-typescript', '--eval', script, dataDir], { timeout: 50_000 }),
  )
  const ids = (await Promise.all(starts)).map(({ stdout }) => stdout.trim())
  assert.equal(new Set(ids).size, 1)
  assert.match(ids[0] ?? '', /^[\w-]{8}$/)
  assert.deepEqual(readdirSync(dataDir), ['crow.key'])
})
