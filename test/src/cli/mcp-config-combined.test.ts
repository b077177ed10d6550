// One entry for `core` or the router, and what was written taken back.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 120_000

/** The folder that settings of applications are in, where a test may name it. */
const settings = (home: string) => ({ home, env: { XDG_CONFIG_HOME: join(home, 'settings') } })

test('--combined is one entry that starts core, in the file and form of each client', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const cases = [
    ['claude-desktop', join(home, 'settings', 'Claude', 'claude_desktop_config.json'), 'mcpServers', undefined],
    ['claude-code', join(home, '.mcp.json'), 'mcpServers', 'stdio'],
    ['cursor', join(home, '.cursor', 'mcp.json'), 'mcpServers', undefined],
    ['vscode', join(home, 'settings', 'Code', 'User', 'mcp.json'), 'servers', 'stdio'],
  ] as const
  for (const [client, file, key, type] of cases) {
    const run = await crow(settings(home), ['mcp-config', '--combined', '--client', client, '--write'])
    assert.equal(run.status, 0, run.err)
    const config = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(Object.keys(config), [key], client)
    assert.deepEqual(Object.keys(config[key]), ['crow-core'])
    const { command, args, ...rest } = config[key]['crow-core']
    assert.deepEqual([command, ...args].slice(-2), ['stdio', 'core'])
    assert.deepEqual(rest, type === undefined ? {} : { type })
  }
  assert.ok(!readdirSync(home).includes('.local'), 'no token is made, so no data folder either')
})

test('the router is an entry over HTTP or stdio; what does not fit together is refused', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const overHttp = await crow({ home }, ['mcp-config', 'cursor', '--server', 'router', '--json'])
  const entry = JSON.parse(overHttp.out)
  assert.deepEqual([entry.name, entry.server.url], ['crow-router', 'http://127.0.0.1:3001/router/mcp'])
  const overStdio = await crow({ home }, ['mcp-config', 'claude-desktop', '--server', 'router', '--json'])
  assert.deepEqual(JSON.parse(overStdio.out).server.args.slice(-2), ['stdio', 'router'])
  const refusals = [
    [['cursor', '--combined', '--transport', 'http'], /core is served over stdio only/],
    [['cursor', '--combined', '--server', 'memory'], /leave out --server/],
    [['cursor', '--client', 'vscode'], /named twice/],
    [['cursor', '--write', '--undo'], /contradict/],
    [['--undo'], /--undo needs the client/],
    [['cursor', '--server', 'ruoter'], /did you mean router\? Servers: memory, router, core\./],
  ] as const
  for (const [args, message] of refusals) {
    const run = await crow({ home }, ['mcp-config', ...args])
    assert.equal(run.status, 2, args.join(' '))
    assert.match(run.err, message)
  }
  const off = { home, env: { CROW_DISABLE_ROUTER: '1' } }
  assert.match((await crow(off, ['mcp-config', 'cursor', '--server', 'router'])).err, /Servers: memory, core\./)
})

test(
  '--undo puts back what was there, also through a link, and removes a file that was new',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const file = join(home, '.cursor', 'mcp.json')
    const run = async (...args: string[]) => await crow({ home }, ['mcp-config', 'cursor', ...args])
    assert.match((await run('--undo')).err, /nothing was written into .*mcp\.json that could be undone/)
    await run('--combined', '--write')
    assert.match((await run('--undo')).out, /^.*mcp\.json is removed again\.$/m)
    assert.deepEqual(readdirSync(join(home, '.cursor')), [])

    const real = join(home, 'dotfiles', 'mcp.json')
    mkdirSync(join(home, 'dotfiles'))
    symlinkSync(real, file)
    const before = '{\n\t"mcpServers": { "other": { "command": "other" } }\n}\n'
    writeFileSync(real, before, { mode: 0o640 })
    await run('--combined', '--write')
    const combined = readFileSync(real, 'utf8')
    await run('--write')
    const [backup = ''] = readdirSync(join(home, 'dotfiles')).filter((name) => name.includes('backup'))
    assert.equal(statSync(join(home, 'dotfiles', backup)).mode & 0o777, 0o600)
    assert.equal((await run('--write')).status, 0, 'nothing changes, so nothing is kept')
    const undone = await run('--undo')
    assert.equal(readFileSync(real, 'utf8'), combined)
    assert.match(undone.err, /token that was in it is still live/)
    assert.deepEqual(JSON.parse((await run('--undo', '--json')).out), { client: 'cursor', file, undone: true })
    assert.equal(readFileSync(real, 'utf8'), before)
    assert.deepEqual(readdirSync(join(home, 'dotfiles')), ['mcp.json'])
  },
)

test('--undo leaves a file alone that was changed since, unless it is forced', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  const run = async (...args: string[]) => await crow({ home }, ['mcp-config', 'vscode', '--file', file, ...args])
  writeFileSync(file, '{}')
  await run('--combined', '--write')
  writeFileSync(file, '{ "theirs": 1 }')
  const refused = await run('--undo')
  assert.equal(refused.status, 1)
  assert.match(refused.err, /mcp\.json is left alone: it was changed since/)
  assert.match(refused.err, /--force puts .*mcp\.json\.crow-backup-[0-9a-f]{12} in its place/)
  assert.equal(readFileSync(file, 'utf8'), '{ "theirs": 1 }')
  assert.equal((await run('--undo', '--force')).status, 0)
  assert.equal(readFileSync(file, 'utf8'), '{}')
})
