import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../../src/cli/list.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { listen } from '../../fixtures/loopback.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test('without a command, the help and a usage error', { timeout }, async (t) => {
  const run = await crow({ home: scratchFolder(t) }, [])
  assert.equal(run.status, 2)
  assert.match(run.out, /usage: crow COMMAND/)
})

test('--version is the version of package.json', { timeout }, async (t) => {
  assert.deepEqual(await crow({ home: scratchFolder(t) }, ['--version']), {
    status: 0,
    out: `${packageJson.version}\n`,
    err: '',
  })
})

test('every command explains itself', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const overview = await crow({ home }, ['help'])
  for (const { name } of commands) assert.match(overview.out, new RegExp(`^ {2}${name} `, 'm'))
  for (const { name } of commands) {
    const run = await crow({ home }, [...name.split(' '), '--help'])
    assert.equal(run.status, 0, name)
    assert.match(run.out, new RegExp(`^usage: crow ${name}`, 'm'))
    assert.equal(run.err, '')
  }
})

test('a mistyped command or option is one sentence with what was meant, and no stack', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [['sreve'], /no command "sreve"; did you mean crow serve\?/],
    [['token', 'craete'], /no command "token craete"; did you mean crow token create\?/],
    [['serve', '--prot', '1'], /no option --prot; did you mean --port\?/],
    [['serve', '--port', '99999'], /--port is a whole number from 0 to 65535/],
    [['stdio', 'memroy'], /no server "memroy"; did you mean memory\?/],
    [['mcp-config', 'cursr'], /no client "cursr"; did you mean cursor\?/],
    [['call', 'memory', 'store_memroy'], /no tool "store_memroy"; did you mean store_memory\?/],
    [['call', 'memory', 'store_memory', '--contnet', 'x'], /no option --contnet; did you mean --content\?/],
  ]
  for (const [args, sentence] of wrong) {
    const run = await crow({ home }, args)
    assert.equal(run.status, 2, args.join(' '))
    assert.match(run.err, sentence)
    assert.doesNotMatch(run.err, /^\s+at /m)
    assert.equal(run.out, '')
  }
})

test('for programs a mistake is JSON too', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['token', 'create'])
  const run = await crow({ home }, ['token', 'revoke', 'nobody', '--json'])
  assert.equal(run.status, 1)
  assert.equal(JSON.parse(run.err).error.code, 'TOKEN_MISSING')
  assert.equal(JSON.parse(run.err).exitCode, 1)
})

test('whatever is said when a command fails ends like a sentence, in text and in JSON', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['token', 'create'])
  writeFileSync(join(home, 'file'), '')
  const holder = createServer()
  const port = String(await listen(t, holder))
  const failing: readonly (readonly [string[], string])[] = [
    [['serve', '--port', port], `port ${port} on 127.0.0.1 is in use. End the program that holds it, or`],
    [['serve', '--port', 'x'], '--port is a whole number from 0 to 65535, not "x".'],
    [['serve', '--port', '0', '--data-dir', join(home, 'file')], 'The data folder'],
    [['serve', '--port', '0', '--host', '192.0.2.1'], '--host 192.0.2.1 lets other machines reach the gateway'],
    [['token', 'revoke', 'nobody'], 'There is no live token "nobody".'],
  ]
  for (const [args, start] of failing) {
    const { message }: { message: string } = JSON.parse((await crow({ home }, [...args, '--json'])).err).error
    assert.ok(message.startsWith(start), message)
    assert.match(message, /[^.]\.$/)
    const lines = (await crow({ home }, args)).err.trimEnd().split('\n')
    for (const line of lines) assert.match(line, /[^.]\.$/)
  }
})

test('a wrong configuration lists every problem at once', { timeout }, async (t) => {
  const env = { PORT: 'abc', CROW_ERAS: '2031', CROW_TZ: 'Mars/Olympus' }
  const run = await crow({ home: scratchFolder(t), env }, ['serve'])
  assert.equal(run.status, 78)
  for (const name of Object.keys(env)) assert.match(run.err, new RegExp(`^crow: ${name} `, 'm'))
})
