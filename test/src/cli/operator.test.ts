import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { shellLine } from '../../../src/cli/launch.ts'
import { crow, crowArguments, scratchFolder, serve } from './crow.ts'

const timeout = 120_000
const PASSWORD = 'three quiet otters in the harbour'
const lender = spawnSync('script', ['--version'], { encoding: 'utf8' })
const hasTerminal = lender.error === undefined && lender.stdout.includes('util-linux')

test('a set-up code is shown until there is a password, and stdout is the code alone', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const operator = async (args: string[], input = '') => await crow({ home }, ['operator', ...args], input)
  const code = await operator(['setup-code'])
  assert.match(code.out, /^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}\n$/)
  assert.match(code.err, /http:\/\/127\.0\.0\.1:3001\/setup/)
  assert.match(JSON.parse((await operator(['setup-code', '--json'])).out).code, /^[0-9A-Z-]{14}$/)
  assert.match((await operator(['password'], 'password1234\n')).err, /guesser/)
  const none = await operator(['password'])
  assert.deepEqual([none.status, /no password on stdin/.test(none.err)], [2, true])
  const set = await operator(['password'], `${PASSWORD}\r\nand more\n`)
  assert.deepEqual([set.status, set.err], [0, ''])
  assert.ok(!set.out.includes(PASSWORD))
  const late = await operator(['setup-code'])
  assert.deepEqual([late.status, late.out], [1, ''])
  assert.match(late.err, /has a password already/)
  assert.equal((await operator(['sessions', '--json'])).out, '[]\n')
  assert.equal((await operator(['disable-2fa'])).out, 'There was no second factor.\n')
  assert.equal((await operator(['unlock'])).status, 0)
  for (const wrong of [['revoke'], ['revoke', 'x'], ['revoke', '1', '--all']])
    assert.equal((await operator(wrong)).status, 2)
  assert.equal((await operator(['revoke', '7'])).status, 1)
})

test(
  'what the terminal does to sessions and the password, the running gateway follows at once',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    await crow({ home }, ['operator', 'password'], PASSWORD)
    const running = await serve(t, { home })
    const { port } = running
    const origin = `http://127.0.0.1:${port}`
    const login = async (password = PASSWORD): Promise<string> => {
      const answer = await fetch(`${origin}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin },
        body: new URLSearchParams({ password }),
      })
      return answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    }
    const statusOf = async (cookie: string): Promise<number> =>
      (await fetch(`${origin}/account`, { redirect: 'manual', headers: { cookie } })).status
    const [one, two] = [await login(), await login()]
    const rows: { id: number; browser: string }[] = JSON.parse(
      (await crow({ home }, ['operator', 'sessions', '--json'])).out,
    )
    assert.deepEqual(
      rows.map(({ browser }) => browser),
      ['node', 'node'],
    )
    const first = Math.min(...rows.map(({ id }) => id))
    assert.equal((await crow({ home }, ['operator', 'revoke', String(first)])).out, '1 session has ended.\n')
    assert.deepEqual([await statusOf(one), await statusOf(two)], [303, 200])
    await crow({ home }, ['operator', 'password'], 'a blue tram hums at midnight')
    assert.equal(await statusOf(two), 303)
    assert.equal(await login(), '')
    const three = await login('a blue tram hums at midnight')
    assert.equal(await statusOf(three), 200)
    assert.match((await crow({ home }, ['operator', 'revoke', '--all'])).out, /1 session has ended/)
    assert.equal(await statusOf(three), 303)
    const { err } = await running.end('SIGTERM')
    assert.ok(!err.includes(PASSWORD))
  },
)

test('on a terminal the password is asked for twice and never shown', { timeout }, async (t) => {
  if (!hasTerminal) return t.diagnostic('there is no script command to lend a terminal')
  const home = scratchFolder(t)
  const type = async (answers: readonly string[]): Promise<string> => {
    const line = shellLine([process.execPath, ...crowArguments('operator', 'password')])
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      env: { HOME: home, PATH: '/usr/bin:/bin', TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const left = [...answers]
    let shown = ''
    let answeredTo = 0
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      if (!shown.endsWith(': ') || shown.length === answeredTo) return
      answeredTo = shown.length
      child.stdin.write(left.shift() ?? '\u0003')
    })
    await new Promise((resolve) => child.once('close', resolve))
    return shown
  }
  const set = await type([`${PASSWORD}\r`, `${PASSWORD}\r`])
  assert.match(set, /New password: [^]*The same again: [^]*The password is set/)
  assert.ok(!set.includes('otters'), set)
  assert.match(await type([`${PASSWORD}\r`, 'something else\r']), /not the same/)
  assert.match(await type(['\u0003']), /no password was typed/)
})
