// What is kept of a file before it is changed, and how it comes back.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepBackup, undoChange } from '../../../src/clients/backup.ts'
import { changeClientFile } from '../../../src/clients/config-file.ts'
import { temporaryFolder } from '../db/temporary.ts'

const timeout = 20_000

test('changes are taken back one after the other, as far as they are kept', { timeout }, async (t) => {
  const file = join(temporaryFolder(t), 'mcp.json')
  for (const text of ['0', '1', '2', '3', '4', '5', '6']) await changeClientFile(file, () => text, false, keepBackup)
  const back: string[] = []
  while ((await undoChange(file, false)).kind === 'restored') back.push(await readFile(file, 'utf8'))
  assert.deepEqual(back, ['5', '4', '3', '2', '1'])
})

test('a text that comes up again goes back to the last one before it', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'mcp.json')
  for (const text of ['a', 'b', 'a']) await changeClientFile(file, () => text, false, keepBackup)
  assert.deepEqual(await undoChange(file, false), { kind: 'restored', before: 'a', after: 'b' })
  assert.deepEqual(await undoChange(file, false), { kind: 'restored', before: 'b', after: 'a' })
  assert.deepEqual(await undoChange(file, false), { kind: 'none' })
  assert.deepEqual(await readdir(folder), ['mcp.json'])
})

test('a folder that is not there, and one of somebody else, hold nothing to take back', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  assert.deepEqual(await undoChange(join(folder, 'missing', 'mcp.json'), true), { kind: 'none' })
  await writeFile(join(folder, 'other.json.crow-backup-0123456789ab'), 'x')
  await writeFile(join(folder, 'mcp.json'), 'y')
  assert.deepEqual(await undoChange(join(folder, 'mcp.json'), true), { kind: 'none' })
  assert.equal(await readFile(join(folder, 'mcp.json'), 'utf8'), 'y')
})
