// What a person at a terminal sees and a pipe does not. `script` (util-linux) lends the terminal.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { shellLine } from '../../../src/cli/launch.ts'
import { crow, crowArguments, scratchFolder } from './crow.ts'

const timeout = 60_000

before(() => {
  const lender = spawnSync('script', ['--version'], { encoding: 'utf8' })
  const isThere = lender.error === undefined && lender.stdout.includes('util-linux')
  assert.ok(
    isThere,
    'These tests need a terminal, and the script command of util-linux to lend it: install util-linux.',
  )
})

/** Decides by what has been shown so far whether to type a line or to hang up. */
type React = (shown: string, type: (line: string) => void, hangUp: () => void) => void

/** Runs the command on a terminal and returns all that was shown. */
async function onTerminal(t: TestContext, home: string, args: readonly string[], react: React): Promise<string> {
  const line = shellLine([process.execPath, ...crowArguments(...args)])
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { HOME: home, PATH: '/usr/bin:/bin', TERM: 'dumb', NO_COLOR: '1', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    react(
      shown,
      (typed) => child.stdin.write(`${typed}\n`),
      () => child.kill('SIGTERM'),
    )
  })
  await new Promise((resolve) => child.once('close', resolve))
  return shown.replaceAll('\r', '')
}

const untilListening: React = (shown, _type, hangUp) => {
  if (/^listening /m.test(shown)) hangUp()
}

/** Types the word when it is asked for, once. */
function answer(word: string): React {
  let isAnswered = false
  return (shown, type) => {
    if (isAnswered || !shown.endsWith('[y/N] ')) return
    isAnswered = true
    type(word)
  }
}

test('a terminal is shown the first token, once, with snippets that hold it; no log does', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const args = ['serve', '--port', '0', '--data-dir', join(home, 'data')]
  const shown = await onTerminal(t, home, args, untilListening)
  const secret = /shown this once: (crow_local_[\w-]{43})/.exec(shown)?.[1]
  assert.ok(secret, shown)
  assert.match(shown, new RegExp(`claude mcp add .*Bearer ${secret}`))
  const logged = shown.split('\n').filter((line) => line.startsWith('{"level"'))
  assert.ok(logged.every((line) => !line.includes(secret)))
  assert.equal(readFileSync(join(home, 'data', 'crow.db')).includes(secret), false, 'only its hash is stored')
  const again = await onTerminal(t, home, args, untilListening)
  assert.doesNotMatch(again, /crow_local_/)
})

test('a person is asked before something is destroyed, and no is no', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['call', 'memory', 'store_memory', '--content', 'The spare key is under the pot.'])
  const destroy = ['call', 'memory', 'delete_memory', '--id', '1']
  const shown = await onTerminal(t, home, destroy, answer('n'))
  assert.match(shown, /spare key/)
  assert.match(shown, /^Nothing was deleted\.$/m)
  assert.equal((await crow({ home }, ['call', 'memory', 'get_memory', '--id', '1'])).status, 0)
  await onTerminal(t, home, destroy, answer('y'))
  assert.equal((await crow({ home }, ['call', 'memory', 'get_memory', '--id', '1'])).status, 1)
})

test('NO_COLOR keeps escape codes away', { timeout }, async (t) => {
  const shown = await onTerminal(t, scratchFolder(t), ['--help'], () => undefined)
  assert.match(shown, /usage: crow/)
  assert.equal(shown.includes('\u001b'), false)
})
