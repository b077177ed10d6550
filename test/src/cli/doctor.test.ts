import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { freePort, listen } from '../../fixtures/loopback.ts'
import { crow, crowArguments, type Place, ROOT, scratchFolder, serve } from './crow.ts'

const timeout = 60_000

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}

async function examine(place: Place, ...args: string[]) {
  const run = await crow(place, ['doctor', '--json', ...args])
  const report: { ok: boolean; checks: Check[] } = JSON.parse(run.out)
  assert.equal(run.status, report.ok ? 0 : 1)
  for (const { status, fix } of report.checks) assert.equal(fix !== undefined, status !== 'ok')
  const of = (name: string): Check | undefined => report.checks.find((check) => check.name === name)
  return { ...report, of }
}

test('before the first start all is well, and nothing is made', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const { ok, of } = await examine({ home, env: { PORT: String(await freePort()) } })
  assert.equal(ok, true)
  assert.deepEqual([of('node')?.status, of('sqlite')?.status, of('data folder')?.status], ['ok', 'ok', 'ok'])
  assert.equal(of('clients')?.status, 'warn')
  assert.equal(existsSync(join(home, '.local')), false)
})

test(
  'beside a running gateway it finds it, its database, its token and the connected client',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const running = await serve(t, { home })
    const env = { PORT: String(running.port) }
    await crow({ home, env }, ['mcp-config', 'cursor', '--write'])
    const { ok, of } = await examine({ home, env })
    assert.equal(ok, true)
    assert.match(of('port')?.message ?? '', /the gateway of this data folder answers/)
    assert.match(of('database')?.message ?? '', /schema version \d+$/)
    assert.equal(of('integrity')?.message, 'sound')
    assert.equal(of('tokens')?.message, 'live: first, cursor')
    assert.equal(of('clients')?.message, 'connected: Cursor')
  },
)

test(
  'a gateway is found wherever it listens, by doctor and by mcp-config, until it is killed',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const running = await serve(t, { home })
    const env = { PORT: String(await freePort()) }
    const address = `http://127.0.0.1:${running.port}`
    const connected = async (...args: string[]): Promise<string> =>
      JSON.parse((await crow({ home, env }, ['mcp-config', 'cursor', '--json', ...args])).out).server.url
    assert.equal(await connected(), `${address}/memory/mcp`)
    assert.equal(await connected('--port', '4000'), 'http://127.0.0.1:4000/memory/mcp')
    await crow({ home, env }, ['mcp-config', 'cursor', '--write'])
    const { of } = await examine({ home, env })
    assert.equal(of('port')?.message, `the gateway of this data folder answers at ${address}`)
    assert.equal(of('clients')?.message, 'connected: Cursor')
    await running.end('SIGKILL')
    assert.equal(await connected(), `http://127.0.0.1:${env.PORT}/memory/mcp`)
    assert.equal((await examine({ home, env })).of('port')?.message, `${env.PORT} on 127.0.0.1 is free`)
  },
)

test('a setting that nobody knows is one of the findings, and said nowhere else', { timeout }, async (t) => {
  const place = { home: scratchFolder(t), env: { PORT: String(await freePort()), CROW_NO_SUCH_SETTING: '1' } }
  await crow(place, ['token', 'create', 'laptop'])
  const { err, out } = await crow(place, ['doctor'])
  assert.match(out, /^warn +configuration .*CROW_NO_SUCH_SETTING/m)
  assert.equal(err, '')
})

test('a gateway of another data folder is a warning, with the way to ours', { timeout }, async (t) => {
  const [home, other] = [scratchFolder(t), scratchFolder(t)]
  const foreign = await serve(t, { home: other })
  const env = { PORT: String(foreign.port) }
  const alone = (await examine({ home, env })).of('port')
  assert.equal(alone?.status, 'warn')
  assert.match(alone?.message ?? '', /answers at .*, and it serves another data folder/)
  const ours = await serve(t, { home })
  assert.equal((await examine({ home, env })).of('port')?.status, 'ok')
  const asked = (await examine({ home }, '--port', env.PORT)).of('port')
  assert.equal(asked?.status, 'warn')
  assert.ok(asked?.fix?.includes(`http://127.0.0.1:${ours.port}`))
})

/** Status, client and fix of every line about clients. */
function clients({ checks }: { readonly checks: readonly Check[] }): string[][] {
  return checks
    .filter(({ name }) => name === 'clients')
    .map(({ status, message, fix = '' }) => [
      status,
      /Cursor|Gemini CLI|Windsurf/.exec(message)?.[0] ?? message,
      /^\/.* (mcp-config .*)$/.exec(fix)?.[1] ?? fix,
    ])
}

test('a client whose token is revoked, or unknown here, is not connected', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const env = { PORT: String(await freePort()) }
  await crow({ home, env }, ['mcp-config', 'cursor', '--write'])
  await crow({ home, env }, ['mcp-config', 'gemini-cli', '--write'])
  await crow({ home, env }, ['mcp-config', 'windsurf', '--write', '--token', 'YOUR_TOKEN'])
  await crow({ home, env }, ['token', 'revoke', 'cursor'])
  assert.deepEqual(clients(await examine({ home, env })), [
    ['ok', 'Gemini CLI', ''],
    ['warn', 'Cursor', 'mcp-config cursor --write --force'],
    ['warn', 'Windsurf', 'mcp-config windsurf --write --force'],
  ])
  const elsewhere = await examine({ home, env }, '--data-dir', join(home, 'other'))
  assert.equal(clients(elsewhere).length, 3)
  assert.ok(clients(elsewhere).every(([status]) => status === 'warn'))
})

test('a data folder that cannot be made fails, and one that can is not made', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const env = { PORT: String(await freePort()) }
  writeFileSync(join(home, 'file'), '')
  for (const folder of ['/proc/crow/data', join(home, 'file', 'data')]) {
    const { of } = await examine({ home, env }, '--data-dir', folder)
    assert.equal(of('data folder')?.status, 'fail', folder)
    assert.match(of('data folder')?.message ?? '', /cannot be made/)
  }
  const good = await examine({ home, env }, '--data-dir', join(home, 'a', 'b'))
  assert.equal(good.of('data folder')?.status, 'ok')
  assert.deepEqual(readdirSync(home), ['file'])
})

test('whatever is wrong is one line with the way to mend it', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = join(home, 'data')
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  writeFileSync(
    join(dataDir, 'crow.db'),
    'this is no database, but it is long enough to be looked at as one'.repeat(20),
  )
  const holder = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
  const env = { PORT: String(await listen(t, holder)) }
  const { ok, of } = await examine({ home, env }, '--data-dir', dataDir)
  assert.equal(ok, false)
  assert.match(of('permissions')?.fix ?? '', /^chmod 700 /)
  assert.equal(of('database')?.status, 'fail')
  assert.match(of('port')?.message ?? '', /held by another program/)
})

test('a wrong configuration and a folder that is a file are found too', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const wrong = await examine({ home, env: { CROW_ERAS: 'x', CROW_TZ: 'y' } })
  assert.equal(wrong.checks.filter(({ name, status }) => name === 'configuration' && status === 'fail').length, 2)
  writeFileSync(join(home, 'file'), '')
  assert.equal((await examine({ home }, '--data-dir', join(home, 'file'))).of('data folder')?.status, 'fail')
})

test('an installation without the SQLite binding says so in one line, in doctor and at the start', { timeout }, (t) => {
  const folder = scratchFolder(t)
  const [main = ''] = crowArguments()
  cpSync(dirname(main), join(folder, 'dist'), { recursive: true })
  for (const name of ['package.json', 'migrations']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'dist', 'main.js'), ...args], {
      encoding: 'utf8',
      env: { HOME: folder },
      cwd: folder,
    })
  const examined = run('doctor')
  assert.equal(examined.status, 1)
  assert.match(examined.stdout, /^fail {2}sqlite .*cannot be loaded: .*better-sqlite3.*\n.*→ Run npm ci in /m)
  const started = run('serve', '--port', '0')
  assert.equal(started.status, 69)
  assert.match(started.stderr, /^crow: the installation is incomplete .*better-sqlite3.*\ncrow: Run npm ci/)
  assert.equal(existsSync(join(folder, '.local')), false)
})

test('a key that went missing is told before a start makes another one, and none is made', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const running = await serve(t, { home })
  await running.end('SIGTERM')
  const key = join(home, '.local', 'share', 'crow', 'crow.key')
  const env = { PORT: String(await freePort()) }
  const well = await examine({ home, env })
  assert.match(well.of('key')?.message ?? '', /^[\w-]{8}, from .*crow\.key$/)
  assert.equal(well.of('secrets')?.status, 'ok')
  assert.match(well.of('operator')?.message ?? '', /no password is set/)
  rmSync(key)
  const { ok, of } = await examine({ home, env })
  assert.equal(ok, false)
  assert.match(of('key')?.message ?? '', /is missing/)
  assert.equal(existsSync(key), false)
})

test('an owner without a password is a warning only where others can come in', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['token', 'create'])
  const env = { PORT: String(await freePort()) }
  assert.equal((await examine({ home, env })).of('operator')?.status, 'ok')
  const outside = await examine({ home, env: { ...env, CROW_GATEWAY_URL: 'https://crow.example' } })
  assert.equal(outside.of('operator')?.status, 'warn')
  assert.match(outside.of('operator')?.fix ?? '', /setup-code/)
})
test('a client is connected only to the gateway and the folder that its entry names', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const env = { PORT: String(await freePort()) }
  const other = join(home, 'other')
  await crow({ home, env }, ['mcp-config', 'claude-desktop', '--write', '--data-dir', other])
  await crow({ home, env }, ['token', 'create'])
  const mine = (await examine({ home, env })).of('clients')
  assert.equal(mine?.status, 'warn')
  assert.match(mine?.message ?? '', /no AI client is connected to this data folder/)
  assert.equal((await examine({ home, env }, '--data-dir', other)).of('clients')?.message, 'connected: Claude Desktop')
})

test(
  'where no gateway runs that is said, with the way to start one, and no client counts as connected',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const env = { PORT: String(await freePort()) }
    await crow({ home, env }, ['mcp-config', 'cursor', '--write'])
    const { of } = await examine({ home, env })
    assert.equal(of('gateway')?.message, 'none runs on this data folder')
    assert.match(of('gateway')?.fix ?? '', /^Start it: .* serve$/)
    assert.equal(of('clients')?.message, 'set up, and connected once a gateway runs: Cursor')
  },
)

test(
  'the entry that Claude Code keeps for its user counts, and so does the variable with its token',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const running = await serve(t, { home })
    const url = `http://127.0.0.1:${running.port}/memory/mcp`
    const { token } = JSON.parse((await crow({ home }, ['token', 'create', '--json'])).out)
    const keep = (bearer: string): void => {
      const headers = { Authorization: `Bearer ${bearer}` }
      writeFileSync(
        join(home, '.claude.json'),
        JSON.stringify({ mcpServers: { crow: { type: 'http', url, headers } } }),
      )
    }
    const found = async (env?: Record<string, string>) => {
      const check = (await examine(env === undefined ? { home } : { home, env })).of('clients')
      return [check?.status, check?.message]
    }
    keep(token)
    assert.deepEqual(await found(), ['ok', 'connected: Claude Code'])
    keep('${CROW_TOKEN}')
    assert.deepEqual(await found(), ['warn', 'Claude Code takes its token from CROW_TOKEN, which is not set here'])
    assert.deepEqual(await found({ CROW_TOKEN: token }), ['ok', 'connected: Claude Code'])
    assert.deepEqual(await found({ CROW_TOKEN: 'x' }), [
      'warn',
      'the token of Claude Code is not a live one of this gateway',
    ])
  },
)
