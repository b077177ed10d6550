import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crow, ROOT, scratchFolder, serve } from './crow.ts'

const timeout = 60_000

test('a token is made, listed without its secret, rotated and revoked', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const token = async (...args: string[]) => await crow({ home }, ['token', ...args])
  const made = JSON.parse((await token('create', 'laptop', '--scope', 'memory:read', '--days', '30', '--json')).out)
  assert.match(made.token, /^crow_local_[\w-]{43}$/)
  const plain = await token('create')
  assert.match(plain.out, /^crow_local_[\w-]{43}\n$/, 'stdout is the secret alone, so that it can be captured')
  assert.match(plain.err, /only time/)
  const list = await token('list', '--json')
  const rows: Record<string, unknown>[] = JSON.parse(list.out)
  assert.deepEqual(
    rows.map(({ name, state, scopes }) => [name, state, scopes]),
    [
      ['laptop', 'live', ['memory:read']],
      ['token-1', 'live', null],
    ],
  )
  assert.match(String(rows[0]?.['expiresAt']), /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.doesNotMatch(list.out, /crow_local_/)
  const rotated = JSON.parse((await token('rotate', '1', '--json')).out)
  assert.notEqual(rotated.token, made.token)
  assert.equal(rotated.id, made.id)
  assert.equal((await token('revoke', 'laptop')).status, 0)
  const after = JSON.parse((await token('list', '--json')).out)
  assert.equal(after[0].state, 'revoked')
  assert.match((await token('list')).out, /^id +name +state/)
})

test('a name that is taken, missing or no name is one sentence', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const token = async (...args: string[]) => await crow({ home }, ['token', ...args])
  await token('create', 'laptop')
  assert.match((await token('create', 'laptop')).err, /already a live token named "laptop"/)
  assert.match((await token('create', '12')).err, /is not a number/)
  assert.equal((await token('rotate', 'nobody')).status, 1)
})

test('a scope of no server and a name given twice are mistakes on the command line', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const refusal = async (...args: string[]): Promise<string> => {
    const run = await crow({ home }, ['token', ...args])
    assert.equal(run.status, 2)
    assert.equal(run.out, '')
    return run.err
  }
  assert.match(await refusal('create', 'x', '--scope', 'nope'), /one of memory, memory:read.*, not "nope"/)
  assert.match(await refusal('create', 'x', '--scope', 'memroy:read'), /did you mean memory:read\?/)
  assert.match(await refusal('create', 'a', '--name', 'c'), /the name is given twice/)
  assert.match(await refusal('revoke'), /^crow: NAME-OR-NUMBER is missing\.\n/)
  assert.equal(existsSync(join(home, '.local')), false, 'nothing was made')
})

/** Runs a command line as somebody would who copies it. */
function runAsGiven(line: string, home: string) {
  return spawnSync('sh', ['-c', line], { cwd: ROOT, encoding: 'utf8', env: { HOME: home, PATH: '/usr/bin:/bin' } })
}

test('where a hint says how to make a token, the command works as it is given', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const { port } = await serve(t, { home })
  const ask = async (authorization?: string): Promise<string> => {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(`http://127.0.0.1:${port}/memory/mcp`, { method: 'POST', headers })
    assert.equal(answer.status, 401)
    const body = await answer.text()
    assert.ok(!body.includes(ROOT), 'a stranger is not told where things lie')
    return body
  }
  const tokenless = scratchFolder(t)
  await crow({ home: tokenless }, ['call', 'memory', 'store_memory', '--content', 'x'])
  const empty = (await crow({ home: tokenless }, ['token', 'list'])).out
  const lines = [
    /`([^`]+)` in the folder of Crow/.exec(await ask())?.[1],
    /`([^`]+)` in the folder of Crow/.exec(await ask(`Bearer crow_local_${'x'.repeat(43)}`))?.[1],
    /; (.*) makes one\./.exec(empty)?.[1],
  ]
  for (const line of lines) {
    assert.ok(line)
    const run = runAsGiven(line, home)
    assert.match(run.stdout, /^crow_local_/, run.stderr)
  }
})
