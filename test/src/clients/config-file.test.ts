import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { isOpenToOthers, readClientFile, tryClientFile, writeClientFile } from '../../../src/clients/config-file.ts'

const timeout = 10_000

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'crow-clients-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a new file is readable by its owner only, its folders are made', { timeout }, async (t) => {
  const file = join(folder(t), 'a', 'b', 'mcp.json')
  assert.equal(await readClientFile(file), undefined)
  await writeClientFile(file, '{}\n', false)
  assert.equal(await readClientFile(file), '{}\n')
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('an existing file keeps its permissions, and nothing is left beside it', { timeout }, async (t) => {
  const home = folder(t)
  const file = join(home, 'mcp.json')
  writeFileSync(file, 'old')
  chmodSync(file, 0o644)
  await writeClientFile(file, 'new', false)
  assert.equal(readFileSync(file, 'utf8'), 'new')
  assert.equal(statSync(file).mode & 0o777, 0o644)
  assert.deepEqual(readdirSync(home), ['mcp.json'])
})

test('an existing file that holds a token is taken from everybody else', { timeout }, async (t) => {
  const file = join(folder(t), 'mcp.json')
  writeFileSync(file, 'old')
  chmodSync(file, 0o664)
  assert.equal(await isOpenToOthers(file), true)
  await writeClientFile(file, 'new', true)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(await isOpenToOthers(file), false)
})

test('a trial makes the folder and leaves nothing in it, and fails where the writing would', { timeout }, async (t) => {
  const home = join(folder(t), 'new')
  await tryClientFile(join(home, 'mcp.json'), '{}')
  assert.deepEqual(readdirSync(home), [])
  await assert.rejects(tryClientFile('/proc/crow/mcp.json', '{}'))
})

test('a symbolic link stays one, and the file it names is changed', { timeout }, async (t) => {
  const home = folder(t)
  mkdirSync(join(home, 'dotfiles'))
  writeFileSync(join(home, 'dotfiles', 'real.json'), 'old')
  symlinkSync(join('dotfiles', 'real.json'), join(home, 'mcp.json'))
  await writeClientFile(join(home, 'mcp.json'), 'new', false)
  assert.ok(lstatSync(join(home, 'mcp.json')).isSymbolicLink())
  assert.equal(readFileSync(join(home, 'dotfiles', 'real.json'), 'utf8'), 'new')
})
