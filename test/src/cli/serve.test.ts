import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { listen } from '../../fixtures/loopback.ts'
import { crow, crowArguments, scratchFolder, serve } from './crow.ts'

const timeout = 60_000
const SECRET = /crow_local_[\w-]{43}/

test(
  'the first start makes folder, database and token, and says where everything is without the secret',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const dataDir = join(home, 'data')
    const running = await serve(t, { home, env: { CROW_DATA_DIR: dataDir } })
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dataDir, 'crow.db')).mode & 0o777, 0o600)
    assert.match(running.welcome, new RegExp(`http://127\\.0\\.0\\.1:${running.port}/memory/mcp`))
    assert.match(running.welcome, new RegExp(`http://127\\.0\\.0\\.1:${running.port}/mcp\\b`))
    for (const client of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code'])
      assert.match(running.welcome, new RegExp(client))
    assert.match(running.welcome, /token rotate first/)
    assert.match(running.welcome, new RegExp(`mcp-config --port ${running.port} --data-dir`))
    const { status, out, err } = await running.end('SIGTERM')
    assert.equal(status, 0)
    assert.doesNotMatch(out + err, SECRET)
    const listed = JSON.parse((await crow({ home }, ['token', 'list', '--json', '--data-dir', dataDir])).out)
    assert.deepEqual(
      listed.map(({ name, state }: { name: string; state: string }) => [name, state]),
      [['first', 'live']],
    )
  },
)

test('the command that the first start names shows a secret that works', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const running = await serve(t, { home })
  const shown = await crow({ home }, ['token', 'rotate', 'first'])
  const token = SECRET.exec(shown.out)?.[0]
  assert.ok(token)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  }
  const url = `http://127.0.0.1:${running.port}/memory/mcp`
  const good = await fetch(url, { method: 'POST', body, headers: { ...headers, authorization: `Bearer ${token}` } })
  assert.equal(good.status, 200)
  const bad = await fetch(url, { method: 'POST', body, headers })
  assert.equal(bad.status, 401)
  await running.end('SIGTERM')
})

test('a restart keeps the data and makes no second token', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await (await serve(t, { home })).end('SIGTERM')
  const stored = await crow({ home }, ['call', 'memory', 'store_memory', '--content', 'The bakery closes on Mondays.'])
  assert.equal(stored.status, 0, stored.err)
  const again = await serve(t, { home })
  assert.doesNotMatch(again.welcome, /token rotate/)
  assert.match(again.welcome, /mcp-config/)
  await again.end('SIGINT')
  const found = await crow({ home }, ['call', 'memory', 'search_memories', '--query', 'bakery mondays'])
  assert.match(found.out, /The bakery closes on Mondays\./)
})

test('every signal to end ends it in good order, its socket removed', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const running = await serve(t, { home })
    assert.equal((await running.end(signal)).status, 0, signal)
    assert.deepEqual(
      readdirSync(join(home, '.local', 'share', 'crow')).filter((name) => name.endsWith('.sock')),
      [],
    )
  }
})

test('a port in use is one sentence, and the first token is left for the next start', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const holder = createServer()
  const port = await listen(t, holder)
  const run = await crow({ home }, ['serve', '--port', String(port)])
  assert.equal(run.status, 69)
  assert.match(run.err, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use`))
  assert.doesNotMatch(run.err, /^\s+at /m)
  assert.match((await serve(t, { home })).welcome, /token rotate first/)
})

test('a port that Crow itself holds on this folder is said to be its own', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const running = await serve(t, { home })
  const again = await crow({ home }, ['serve', '--port', String(running.port)])
  assert.equal(again.status, 69)
  assert.match(again.err, /^crow: Crow runs on this data folder \(.*\) already, at http:\/\/127\.0\.0\.1:\d+\.$/m)
  const other = await crow({ home }, ['serve', '--port', String(running.port), '--data-dir', join(home, 'other')])
  assert.match(other.err, /is in use/)
})

test('a data folder that is a file, below one, or cannot be made is one sentence', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'file')
  writeFileSync(file, '')
  for (const dataDir of [file, join(file, 'below'), '/proc/crow', '/proc/crow/data']) {
    const run = await crow({ home }, ['serve', '--port', '0', '--data-dir', dataDir])
    assert.equal(run.status, 73, run.err)
    assert.doesNotMatch(run.err, /^\s+at /m)
  }
})

/** Folders that are read-only for everybody, whatever their permissions, as this system lists them. */
function readOnlyMounts(): string[] {
  const mounts = existsSync('/proc/self/mounts') ? readFileSync('/proc/self/mounts', 'utf8').split('\n') : []
  return mounts
    .map((line) => line.split(' '))
    .filter(([, path = '', , flags = '']) => flags.split(',').includes('ro') && !path.includes('\\'))
    .map(([, path = '']) => path)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
}

test('a data folder on a read-only file system is said to be on one, new or old', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const mount = join(home, 'mount')
  mkdirSync(mount)
  // A mount of our own has an old folder, too; where none may be made, one that is there already has to do.
  const script = [
    'mount -t tmpfs none "$0" && mkdir "$0/old" && "$@" call memory memory_stats --data-dir "$0/old" >/dev/null || exit 99',
    'mount -o remount,ro "$0" || exit 99',
    '"$@" serve --port 0 --data-dir "$0/old"; echo $?',
    '"$@" serve --port 0 --data-dir "$0/new/er"; echo $?',
    '"$@" doctor --data-dir "$0/old"',
  ].join('\n')
  const program = [process.execPath, ...crowArguments()]
  const ownNamespace = 'unshare'
  const run = spawnSync(ownNamespace, ['-rm', 'sh', '-c', script, mount, ...program], {
    encoding: 'utf8',
    env: { HOME: home, PATH: process.env['PATH'] },
  })
  if (run.error !== undefined || run.status === 99 || /unshare/.test(run.stderr)) {
    const [folder] = readOnlyMounts()
    assert.ok(folder, 'This test needs a read-only file system: mounted somewhere, or the right to mount one.')
    const there = await crow({ home }, ['serve', '--port', '0', '--data-dir', join(folder, 'crow', 'data')])
    assert.equal(there.status, 73, there.err)
    assert.match(there.err, /is on a read-only file system; mount it writable/)
  } else {
    assert.deepEqual(run.stdout.split('\n').slice(0, 2), ['73', '73'])
    assert.equal(run.stderr.match(/is on a read-only file system; mount it writable/g)?.length, 2, run.stderr)
    assert.match(run.stdout, /^fail {2}data folder .* is on a read-only file system\n.*Mount it writable/m)
  }
})

test('a database of a newer version is refused by both numbers and left as it is', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = join(home, 'data')
  await (await serve(t, { home }, ['--data-dir', dataDir])).end('SIGTERM')
  const path = join(dataDir, 'crow.db')
  const db = new Database(path)
  db.prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)').run('future', Date.now() + 1e12)
  db.close()
  const before = readFileSync(path)
  const run = await crow({ home }, ['serve', '--port', '0', '--data-dir', dataDir])
  assert.equal(run.status, 78)
  assert.match(run.err, /schema version \d+, written by a newer crow; this one knows version \d+/)
  assert.deepEqual(readFileSync(path), before)
})

test('--print-config shows what is in effect and starts nothing', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const run = await crow({ home, env: { CROW_ERAS: '2026', CROW_EMBED_API_KEY: 'sk-secret' } }, [
    'serve',
    '--print-config',
    '--port',
    '4000',
    '--json',
  ])
  assert.equal(run.status, 0, run.err)
  const settings: { name: string; value: string | null; from: string }[] = JSON.parse(run.out)
  const of = (name: string) => settings.find((setting) => setting.name === name)
  assert.deepEqual(of('PORT'), { name: 'PORT', value: '4000', from: 'flag' })
  assert.deepEqual(of('CROW_ERAS'), { name: 'CROW_ERAS', value: '2026', from: 'environment' })
  assert.doesNotMatch(run.out, /sk-secret/)
  const dataDir = join(home, '.local', 'share', 'crow')
  assert.deepEqual(of('CROW_DATA_DIR'), { name: 'CROW_DATA_DIR', value: dataDir, from: 'default' })
  assert.equal(of('CROW_DB_PATH')?.value, join(dataDir, 'crow.db'))
  for (const name of ['CROW_HOME', 'CROW_GATEWAY_URL', 'CROW_DEVICE_ID', 'CROW_EMBED_URL', 'CORS_ALLOWED_ORIGINS'])
    assert.deepEqual(of(name), { name, value: null, from: 'default' })
  for (const { name, value } of settings) assert.doesNotMatch(value ?? '', / /, name)
  assert.equal(existsSync(join(home, '.local')), false)
})

test('--print-config for a person names what is unset, and what is wrong after it', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const run = await crow({ home, env: { CROW_ERAS: '2031' } }, ['serve', '--print-config', '--port', '4000'])
  assert.equal(run.status, 78)
  assert.match(run.out, /^CROW_ERAS +2031 +environment$/m)
  assert.match(run.out, /^CROW_DATA_DIR +unset +default$/m)
  assert.match(run.err, /^crow: CROW_ERAS must be/)
  const right = await crow({ home }, ['serve', '--print-config', '--port', '4000'])
  assert.equal(right.status, 0)
  assert.match(right.out, /^CROW_DATA_DIR +\/\S+ +default$/m)
  assert.match(right.out, /^CROW_DEVICE_ID +unset +default$/m)
  assert.match(right.out, /^PORT +4000 +flag$/m)
})
