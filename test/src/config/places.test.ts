// The data folder on each operating system.
import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { dataFolder } from '../../../src/config/places.ts'

const timeout = 10_000
const nothing = { home: undefined, dataDir: undefined }
const raw = { HOME: '/home/ana' }

test('Linux follows the base directory specification and ignores a relative XDG_DATA_HOME', { timeout }, () => {
  assert.equal(dataFolder(nothing, raw, 'linux'), '/home/ana/.local/share/crow')
  assert.equal(dataFolder(nothing, { ...raw, XDG_DATA_HOME: '/data' }, 'linux'), '/data/crow')
  assert.equal(dataFolder(nothing, { ...raw, XDG_DATA_HOME: 'data' }, 'linux'), '/home/ana/.local/share/crow')
})

test('macOS keeps it in Application Support, Windows in the local application data', { timeout }, () => {
  assert.equal(dataFolder(nothing, raw, 'darwin'), '/home/ana/Library/Application Support/crow')
  assert.equal(dataFolder(nothing, { LOCALAPPDATA: '/l' }, 'win32'), join('/l', 'crow'))
})

test('CROW_DATA_DIR wins over CROW_HOME, and a tilde means the home folder', { timeout }, () => {
  assert.equal(dataFolder({ home: '/h', dataDir: undefined }, raw, 'linux'), '/h/data')
  assert.equal(dataFolder({ home: '/h', dataDir: '~/x' }, raw, 'linux'), '/home/ana/x')
  assert.equal(dataFolder({ home: undefined, dataDir: 'here' }, raw, 'linux'), resolve('here'))
})
