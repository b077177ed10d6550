import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { keyBeside } from '../../../src/db/key-file.ts'
import { temporaryDatabase } from './temporary.ts'

const options = { timeout: 10_000 }

test('a key is made once, privately, and is the same for every connection on the folder', options, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const keys = await Promise.all([db, other, db, other].map((each) => keyBeside(each, 'state.key')))
  for (const key of keys) assert.deepEqual(key, keys[0])
  assert.equal(keys[0]?.length, 32)
  const path = join(dirname(db.path), 'state.key')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(dirname(db.path)).filter((name) => name.includes('key')),
    ['state.key'],
  )
  assert.notDeepEqual(await keyBeside(db, 'other.key'), keys[0])
})

test('what a killed process left half made is not taken for a key', options, async (t) => {
  const db = await temporaryDatabase(t)
  writeFileSync(join(dirname(db.path), 'state.key.partial'), 'AAAA')
  assert.equal((await keyBeside(db, 'state.key')).length, 32)
  assert.deepEqual(
    readdirSync(dirname(db.path)).filter((name) => name.includes('key')),
    ['state.key'],
  )
})

test('a key that other users could read is taken from them', options, async (t) => {
  const db = await temporaryDatabase(t)
  const key = await keyBeside(db, 'state.key')
  const path = join(dirname(db.path), 'state.key')
  chmodSync(path, 0o644)
  assert.deepEqual(await keyBeside(db, 'state.key'), key)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a file that holds no key is refused and left as it is', options, async (t) => {
  const db = await temporaryDatabase(t)
  const path = join(dirname(db.path), 'state.key')
  for (const text of ['', 'short', `${'A'.repeat(43)}=`, `${'A'.repeat(42)}!`, 'A'.repeat(10_000)]) {
    writeFileSync(path, text)
    await assert.rejects(keyBeside(db, 'state.key'), { code: 'KEY_FILE_INVALID' })
    assert.equal(readFileSync(path, 'utf8'), text)
  }
  writeFileSync(path, `\t${'A'.repeat(43)}\r\n`)
  assert.deepEqual(await keyBeside(db, 'state.key'), Buffer.alloc(32))
  const folder = join(dirname(db.path), 'folder.key')
  mkdirSync(folder)
  await assert.rejects(keyBeside(db, 'folder.key'), { code: 'KEY_FILE_INVALID' })
  rmdirSync(folder)
})
