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
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { changeClientFile, isOpenToOthers, readClientFile, tryClientFile } from '../../../src/clients/config-file.ts'

const timeout = 10_000

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'crow-clients-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a new file is readable by its owner only, its folders are made', { timeout }, async (t) => {
  const file = join(folder(t), 'a', 'b', 'mcp.json')
  assert.equal(await readClientFile(file), undefined)
  await changeClientFile(file, () => '{}\n', false)
  assert.equal(await readClientFile(file), '{}\n')
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('an existing file keeps its permissions, and nothing is left beside it', { timeout }, async (t) => {
  const home = folder(t)
  const file = join(home, 'mcp.json')
  writeFileSync(file, 'old')
  chmodSync(file, 0o644)
  await changeClientFile(file, () => 'new', false)
  assert.equal(readFileSync(file, 'utf8'), 'new')
  assert.equal(statSync(file).mode & 0o777, 0o644)
  assert.deepEqual(readdirSync(home), ['mcp.json'])
})

test('an existing file that holds a token is taken from everybody else', { timeout }, async (t) => {
  const file = join(folder(t), 'mcp.json')
  writeFileSync(file, 'old')
  chmodSync(file, 0o664)
  assert.equal(await isOpenToOthers(file), true)
  await changeClientFile(file, () => 'new', true)
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
  await changeClientFile(join(home, 'mcp.json'), () => 'new', false)
  assert.ok(lstatSync(join(home, 'mcp.json')).isSymbolicLink())
  assert.equal(readFileSync(join(home, 'dotfiles', 'real.json'), 'utf8'), 'new')
})

test('a symbolic link to nothing yet stays one, and the file it names is made', { timeout }, async (t) => {
  const home = folder(t)
  symlinkSync(join('dotfiles', 'real.json'), join(home, 'mcp.json'))
  await changeClientFile(join(home, 'mcp.json'), () => 'new', false)
  assert.ok(lstatSync(join(home, 'mcp.json')).isSymbolicLink())
  assert.equal(readFileSync(join(home, 'dotfiles', 'real.json'), 'utf8'), 'new')
  symlinkSync('round', join(home, 'round'))
  await assert.rejects(
    changeClientFile(join(home, 'round'), () => 'new', false),
    { code: 'ELOOP' },
  )
})

test('changes made at once come one after the other, and none is lost', { timeout }, async (t) => {
  const file = join(folder(t), 'mcp.json')
  const words = Array.from({ length: 12 }, (_, at) => `word${at}`)
  await Promise.all(words.map(async (word) => await changeClientFile(file, (text = '') => `${text}${word} `, false)))
  assert.deepEqual(readFileSync(file, 'utf8').trim().split(' ').toSorted(), words.toSorted())
})

test(
  'a change that is refused leaves the file, and what a killed process left is no obstacle',
  { timeout },
  async (t) => {
    const home = folder(t)
    const file = join(home, 'mcp.json')
    writeFileSync(file, 'old')
    const refusing = changeClientFile(
      file,
      () => {
        throw new RangeError('refused')
      },
      false,
    )
    await assert.rejects(refusing, RangeError)
    writeFileSync(`${file}.crow-lock`, '')
    utimesSync(`${file}.crow-lock`, 1, 1)
    assert.equal(await changeClientFile(file, (text) => `${text} new`, false), 'old')
    assert.equal(readFileSync(file, 'utf8'), 'old new')
    assert.deepEqual(readdirSync(home), ['mcp.json'])
  },
)
