// What a running gateway says of external servers to `crow servers`, and the questions on a terminal.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { shellLine } from '../../../src/cli/launch.ts'
import { openLiveFeed } from '../../../src/cli/live-feed.ts'
import { askRunning, type LiveAnswers } from '../../../src/cli/live-questions.ts'
import { until } from '../../fixtures/until.ts'
import { crow, crowArguments, scratchFolder } from './crow.ts'

const timeout = 120_000
const SECRET = 'three-quiet-otters'
const lender = spawnSync('script', ['--version'], { encoding: 'utf8' })
const hasTerminal = lender.error === undefined && lender.stdout.includes('util-linux')

const answers: LiveAnswers = {
  states: () => [
    { id: 'one', tools: 4, status: 'backoff', restarts: 2, lastError: 'It ended with code 1.\u001b[31m\nno key' },
    { id: 'two', tools: 7, status: 'ready', restarts: 0 },
  ],
  logs: (id) =>
    id === 'one'
      ? [
          { at: 0, message: 'stderr', detail: JSON.stringify({ line: '\u001b]0;evil\u0007missing "key"' }) },
          { at: 0, message: 'its tools cannot be read', detail: '{"err":"cut' },
          { at: 0, message: 'bare', detail: '{}' },
        ]
      : undefined,
}

async function feedOn(t: TestContext, folder: string, pid: number, given?: LiveAnswers): Promise<void> {
  const feed = await openLiveFeed(folder, { observe: () => () => undefined }, pid, null, given)
  assert.ok(feed)
  t.after(() => feed.close())
}

test('list and logs show what a running gateway knows, without what steers a terminal', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const data = join(home, 'data')
  mkdirSync(data, { mode: 0o700 })
  const entries = { one: { command: 'a' }, two: { command: 'b' }, three: { command: 'c' } }
  writeFileSync(join(data, 'servers.json'), JSON.stringify({ mcpServers: entries }), { mode: 0o600 })
  const run = async (...args: string[]) => await crow({ home, env: { CROW_DATA_DIR: data } }, ['servers', ...args])
  await feedOn(t, data, 1)
  assert.equal((await run('logs', 'one')).status, 69)
  await feedOn(t, data, 2, answers)
  const list = await run('list')
  assert.match(list.out, /^one +stdio +backoff +4 /m)
  assert.match(list.out, /^two +stdio +ready +7 /m)
  assert.match(list.out, /^three +stdio +on +- /m)
  assert.equal(list.err, 'one: It ended with code 1.[31m\n  no key\n')
  assert.match((await run('show', 'one')).out, /^problem {4}It ended with code 1\.\[31m\n {11}no key$/m)
  assert.deepEqual(await run('logs', 'one'), {
    status: 0,
    out: ['stderr: ]0;evilmissing "key"', 'its tools cannot be read {"err":"cut', 'bare']
      .map((line) => `1970-01-01T00:00:00.000Z ${line}\n`)
      .join(''),
    err: '',
  })
  const unknown = await run('logs', 'nobody')
  assert.deepEqual([unknown.status, unknown.out], [1, ''])
})

test('questions are answered beside the feed; what is no question is not, and has an end', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  await feedOn(t, folder, 5, answers)
  assert.deepEqual(await askRunning(folder, { ask: 'server-logs', id: 'nobody' }), [null])
  const socket = connect(join(folder, 'live-5.sock'))
  let text = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => socket.destroy())
  socket.on('close', () => (isClosed = true))
  socket.write('nonsense\n{"ask":"everything"}\n[]\n{"ask":"server-logs","id":7}\n{"ask":"servers"}\n')
  await until(() => text.split('\n').length > 2)
  assert.equal(text.split('\n').filter((line) => line.startsWith('{"answer":')).length, 1)
  socket.write('x'.repeat(100_000))
  await until(() => isClosed)
})

test('on a terminal a secret is not shown, and the command is asked about', { timeout }, async (t) => {
  if (!hasTerminal) return t.diagnostic('there is no script command to lend a terminal')
  const home = scratchFolder(t)
  const file = join(home, 'data', 'servers.json')
  const type = async (words: readonly string[], replies: readonly (readonly [RegExp, string])[]): Promise<string> => {
    const line = shellLine([process.execPath, ...crowArguments('servers', 'add', ...words)])
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      env: {
        HOME: home,
        CROW_DATA_DIR: join(home, 'data'),
        PATH: '/usr/bin:/bin',
        TERM: 'xterm',
        NO_COLOR: '1',
        SHELL: '/bin/sh',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const left = [...replies]
    let shown = ''
    let answeredTo = 0
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      if (left[0]?.[0].test(shown.slice(answeredTo)) !== true) return
      answeredTo = shown.length
      child.stdin.write(left.shift()?.[1] ?? '')
    })
    await new Promise((resolve) => child.once('close', resolve))
    return shown
  }
  const no = await type(
    ['one', '--secret', 'TOKEN', '--', 'run', '--it'],
    [
      [/TOKEN: /, `${SECRET}\r`],
      [/\[y\/N\] /, 'n\r'],
    ],
  )
  assert.match(no, /one runs this program with your rights[^]*run --it[^]*nothing was changed/)
  const yes = await type(
    ['one', '--secret', 'TOKEN', '--', 'run', '--it'],
    [
      [/TOKEN: /, `${SECRET}\r`],
      [/\[y\/N\] /, 'y\r'],
    ],
  )
  assert.match(yes, /one is added/)
  const named = await type(
    ['slack'],
    [
      [/SLACK_BOT_TOKEN: /, `${SECRET}\r`],
      [/SLACK_TEAM_ID: /, 'T-visible\r'],
      [/\[y\/N\] /, 'y\r'],
    ],
  )
  assert.match(named, /Slack: Make an app[^]*T-visible[^]*slack is added/)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).mcpServers.slack.env.SLACK_TEAM_ID, 'T-visible')
  for (const text of [no, yes, named, readFileSync(file, 'utf8')]) assert.ok(!text.includes(SECRET), text)
})
