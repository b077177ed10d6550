// Where Windows finds a bare command.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCommand } from '../../../src/upstream/find-command.ts'

const timeout = 10_000
const FILES = new Set([
  String.raw`C:\node\npx.CMD`,
  String.raw`C:\tools\npx.EXE`,
  String.raw`C:\tools\uvx.EXE`,
  String.raw`C:\tools\run.cmd`,
])
const environment = { Path: String.raw`C:\node;;C:\tools`, PathExt: '.EXE;.CMD' }
const find = (command: string): string | undefined => findCommand(command, environment, (path) => FILES.has(path))

test('the first folder that has it with any extension wins; a path is not looked for', { timeout }, () => {
  assert.equal(find('npx'), String.raw`C:\node\npx.CMD`)
  assert.equal(find('uvx'), String.raw`C:\tools\uvx.EXE`)
  assert.equal(find('run.cmd'), String.raw`C:\tools\run.cmd`)
  assert.equal(find('none'), undefined)
  assert.equal(find(String.raw`C:\tools\uvx`), undefined)
  assert.equal(
    findCommand('npx', {}, () => true),
    undefined,
  )
})

test('by default it is looked for on the disk, and a folder is no command', { timeout }, () => {
  assert.equal(findCommand('nowhere', { PATH: 'C:\\' }), undefined)
})
