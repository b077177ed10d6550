import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readdir as readFolder } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test('written twice, a file keeps its foreign entries and its token', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, '.cursor', 'mcp.json')
  mkdirSync(join(home, '.cursor'))
  writeFileSync(file, '{\n\t"mcpServers": {\n\t\t"other": { "command": "other" }\n\t}\n}\n')
  const first = await crow({ home }, ['mcp-config', 'cursor', '--write'])
  assert.equal(first.status, 0, first.err)
  const once = readFileSync(file, 'utf8')
  const second = await crow({ home }, ['mcp-config', 'cursor', '--write', '--json'])
  assert.deepEqual(JSON.parse(second.out), { client: 'cursor', file, name: 'crow', changed: false })
  assert.equal(readFileSync(file, 'utf8'), once)
  const { mcpServers } = JSON.parse(once)
  assert.deepEqual(mcpServers.other, { command: 'other' })
  assert.match(mcpServers.crow.headers.Authorization, /^Bearer crow_local_/)
  assert.equal(mcpServers.crow.url, 'http://127.0.0.1:3001/memory/mcp')
  const tokens = JSON.parse((await crow({ home }, ['token', 'list', '--json'])).out)
  assert.deepEqual(
    tokens.map(({ name }: { name: string }) => name),
    ['cursor'],
  )
})

async function tokensOf(home: string): Promise<{ name: string; state: string }[]> {
  return JSON.parse((await crow({ home }, ['token', 'list', '--json'])).out)
}

test('where the file cannot be written, no token is made', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const run = await crow({ home }, ['mcp-config', 'cursor', '--write', '--file', '/proc/crow/mcp.json'])
  assert.equal(run.status, 73, run.err)
  assert.match(run.err, /cannot be written/)
  assert.deepEqual(await readFolder(home), [])
})

test('a secret that was revoked is replaced by one that works', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, '.cursor', 'mcp.json')
  await crow({ home }, ['mcp-config', 'cursor', '--write'])
  const dead = readFileSync(file, 'utf8')
  await crow({ home }, ['token', 'revoke', 'cursor'])
  const refused = await crow({ home }, ['mcp-config', 'cursor', '--write'])
  assert.equal(refused.status, 1)
  assert.match(refused.err, /sends a token that does not open this data folder/)
  const again = await crow({ home }, ['mcp-config', 'cursor', '--write', '--json', '--force'])
  assert.equal(JSON.parse(again.out).changed, true)
  assert.notEqual(readFileSync(file, 'utf8'), dead)
  assert.deepEqual(
    (await tokensOf(home)).map(({ name, state }) => [name, state]),
    [
      ['cursor', 'revoked'],
      ['cursor', 'live'],
    ],
  )
})

test(
  'a file that others could read is theirs no more once it holds a token, and that is said',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const file = join(home, 'mcp.json')
    writeFileSync(file, '{}')
    chmodSync(file, 0o644)
    const write = async (...args: string[]) => await crow({ home }, ['mcp-config', ...args, '--write', '--file', file])
    await write('vscode')
    assert.equal(statSync(file).mode & 0o777, 0o644, 'no token, no change')
    assert.match((await write('cursor')).err, /^Other users could read .*mcp\.json; .* yours only now \(mode 600\)\.$/m)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    chmodSync(file, 0o640)
    const again = await write('cursor')
    assert.match(again.out, /has this entry already/)
    assert.match(again.err, /^Other users could read/m)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.doesNotMatch((await write('cursor')).err, /Other users/)
  },
)

test('a server that is not there is answered with those that are', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const args of [
    ['mcp-config', 'cursor', '--server', 'nope'],
    ['tools', 'nope'],
    ['call', 'nope', 'x'],
    ['stdio', 'nope'],
  ]) {
    const run = await crow({ home }, args)
    assert.equal(run.status, 2, args.join(' '))
    assert.match(run.err, /^crow: there is no server "nope"\. Servers: memory.*\.$/m)
  }
  const near = await crow({ home }, ['tools', 'memroy'])
  assert.match(near.err, /no server "memroy"; did you mean memory\? Servers: memory/)
})

test('--write without a client is a mistake on the command line', { timeout }, async (t) => {
  const run = await crow({ home: scratchFolder(t) }, ['mcp-config', '--write'])
  assert.equal(run.status, 2)
  assert.match(run.err, /--write needs the client/)
})

test('without --write nothing is written and no token is made', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const client of ['claude-code', 'claude-desktop', 'cursor', 'vscode']) {
    const run = await crow({ home }, ['mcp-config', client])
    assert.equal(run.status, 0, run.err)
    assert.doesNotMatch(run.out, /crow_local_/)
  }
  assert.deepEqual(await readFolder(home), [])
})

test('a file with comments is left alone and says what to do', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  writeFileSync(file, '{ // mine\n}')
  const run = await crow({ home }, ['mcp-config', 'vscode', '--write', '--file', file])
  assert.equal(run.status, 1)
  assert.match(run.err, /left alone: it is not plain JSON/)
  assert.equal(readFileSync(file, 'utf8'), '{ // mine\n}')
})

test(
  'the command of a generated entry answers initialize with a bare environment from another folder',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const dataDir = join(home, 'données und Daten')
    const run = await crow({ home }, ['mcp-config', 'claude-desktop', '--json', '--data-dir', dataDir])
    const { command, args } = JSON.parse(run.out).server
    const child = spawn(command, args, { cwd: '/', env: { HOME: home }, stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    for await (const line of createInterface({ input: child.stdout })) {
      assert.equal(JSON.parse(line).result.protocolVersion, '2025-11-25')
      break
    }
    child.stdin.end()
    const [code] = await new Promise<[number | null]>((resolve) => child.once('close', (status) => resolve([status])))
    assert.equal(code, 0)
  },
)

test('the list of clients names file and transport of each', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const rows: Record<string, unknown>[] = JSON.parse((await crow({ home }, ['mcp-config', '--json'])).out)
  const cursor = rows.find(({ id }) => id === 'cursor')
  assert.deepEqual(cursor, { id: 'cursor', title: 'Cursor', prefers: 'http', path: join(home, '.cursor', 'mcp.json') })
})

/** The secret in each entry of Cursor's file, by name. */
function secretsIn(file: string): Record<string, string> {
  const entries: [string, { headers: { Authorization: string } }][] = Object.entries(
    JSON.parse(readFileSync(file, 'utf8')).mcpServers,
  )
  return Object.fromEntries(entries.map(([name, { headers }]) => [name, headers.Authorization]))
}

test('a second entry, and one in another file, leave the first as it works', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const usual = join(home, '.cursor', 'mcp.json')
  const write = async (...args: string[]) => {
    const run = await crow({ home }, ['mcp-config', 'cursor', '--write', ...args])
    assert.equal(run.status, 0, run.err)
  }
  await write()
  const { crow: first } = secretsIn(usual)
  await write('--name', 'work')
  await write('--file', join(home, 'other.json'))
  // The entry is gone from the file, but somebody may have copied it.
  writeFileSync(join(home, 'other.json'), '{}')
  await write('--file', join(home, 'other.json'))
  const secrets = secretsIn(usual)
  assert.equal(secrets['crow'], first)
  assert.notEqual(secrets['work'], first)
  const tokens = await tokensOf(home)
  assert.deepEqual(
    tokens.map(({ name }) => name.replace(/-[0-9a-f]{8}/, '-FILE')),
    ['cursor', 'cursor/work', 'cursor-FILE', 'cursor-FILE-2'],
  )
  assert.ok(tokens.every(({ state }) => state === 'live'))
})

test('an entry that leads elsewhere is replaced only by force', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  const write = async (client: string, ...args: string[]) =>
    await crow({ home }, ['mcp-config', client, '--write', '--file', file, ...args])
  const foreign = '{"mcpServers":{"crow":{"command":"caw","args":["stdio","memory"]}}}'
  writeFileSync(file, foreign)
  for (const client of ['cursor', 'claude-desktop']) {
    const run = await write(client)
    assert.equal(run.status, 1)
    assert.match(run.err, /^crow: .*mcp\.json is left alone: the entry crow of .* leads to another program\.$/m)
    assert.match(run.err, /--force replaces it, --name crow-2 makes another entry/)
  }
  assert.equal(readFileSync(file, 'utf8'), foreign)
  assert.deepEqual(await readFolder(home), ['mcp.json'], 'no data folder was made')
  assert.equal((await write('claude-desktop', '--force')).status, 0)
  assert.equal((await write('claude-desktop')).status, 0, 'its own entry is no obstacle')
  const moved = await write('claude-desktop', '--data-dir', join(home, 'other'))
  assert.match(moved.err, /leads to the server memory on the usual data folder/)
  assert.equal((await write('cursor', '--force')).status, 0)
  assert.match((await write('cursor', '--port', '4000')).err, /leads to http:\/\/127\.0\.0\.1:3001\/memory\/mcp\./)
  const before = readFileSync(file, 'utf8')
  const elsewhere = await write('cursor', '--data-dir', join(home, 'other'))
  assert.match(elsewhere.err, /sends a token that does not open this data folder/)
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.equal(existsSync(join(home, 'other')), false)
})

test('three that write at once all leave their entry', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'mcp.json')
  await crow({ home }, ['token', 'create'])
  const names = ['one', 'two', 'three']
  await Promise.all(
    names.map(async (name) => {
      const run = await crow({ home }, ['mcp-config', 'cursor', '--write', '--file', file, '--name', name])
      assert.equal(run.status, 0, run.err)
    }),
  )
  assert.deepEqual(Object.keys(secretsIn(file)).toSorted(), names.toSorted())
})

test('a file of the project is said to be in the folder one stands in', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const args of [['--transport', 'stdio'], ['--write']]) {
    assert.match((await crow({ home }, ['mcp-config', 'claude-code', ...args])).err, /in the folder you stand in/)
    assert.doesNotMatch((await crow({ home }, ['mcp-config', 'cursor', ...args])).err, /in the folder you stand in/)
  }
})
