// What a started program may know of the environment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childEnvironment } from '../../../src/config/child-environment.ts'

const timeout = 10_000

test('what a program needs is handed on, and nothing else', { timeout }, () => {
  const handed = {
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    TZ: 'UTC',
    NO_PROXY: '*',
    no_proxy: '*',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    TMPDIR: '/tmp',
  }
  const kept = {
    CROW_TOKEN: 'x',
    NODE_OPTIONS: '--inspect',
    OPENAI_API_KEY: 'x',
    path: '/evil',
    SHELL: '() { :; }',
    __proto__x: '1',
  }
  assert.deepEqual(childEnvironment({ ...handed, ...kept, USER: undefined }, 'linux'), handed)
})

test('on Windows names are the same in any case', { timeout }, () => {
  const handed = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', AppData: 'C:\\x', 'ProgramFiles(x86)': 'C:\\y' }
  assert.deepEqual(childEnvironment({ ...handed, Crow_Token: 'x' }, 'win32'), handed)
  assert.deepEqual(childEnvironment({ SYSTEMROOT: 'x', path: '/evil' }, 'linux'), {})
})
