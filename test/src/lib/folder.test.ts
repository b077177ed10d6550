// Folders are made for this user only, and a place that cannot hold one is an error, never a hang.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder, syncFolder } from '../../../src/lib/folder.ts'

const timeout = 10_000

test('missing ancestors are made, for this user only, and a second call changes nothing', { timeout }, (t) => {
  const base = mkdtempSync(join(tmpdir(), 'crow-folder-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, 'a', 'b')
  createFolder(folder)
  createFolder(folder)
  for (const path of [folder, join(base, 'a')]) assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a file in the way is said to be no folder', { timeout }, (t) => {
  const base = mkdtempSync(join(tmpdir(), 'crow-folder-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  writeFileSync(join(base, 'file'), '')
  assert.throws(() => createFolder(join(base, 'file')), { code: 'ENOTDIR' })
  assert.throws(() => createFolder(join(base, 'file', 'inside')), { code: 'ENOTDIR' })
})

test('a file system that has no such place is an error at once', { timeout }, () => {
  assert.throws(() => createFolder('/proc/crow-nowhere/inside'), { code: /^(ENOENT|EACCES|EPERM|ENOTDIR)$/ })
})

test(
  'the names in a folder are put on disk where a system opens folders, and left to it where not',
  { timeout },
  (t) => {
    const base = mkdtempSync(join(tmpdir(), 'crow-folder-'))
    t.after(() => rmSync(base, { recursive: true, force: true }))
    syncFolder(base, 'linux')
    const missing = join(base, 'missing')
    assert.throws(() => syncFolder(missing, 'darwin'), { code: 'ENOENT' })
    syncFolder(missing, 'win32')
  },
)
