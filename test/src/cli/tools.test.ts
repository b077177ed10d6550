import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { servers } from '../../../src/servers/index.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test('every declared tool is listed with its effect and signature', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const listed: { server: string; tools: Record<string, unknown>[] }[] = JSON.parse(
    (await crow({ home }, ['tools', '--json'])).out,
  )
  assert.deepEqual(
    listed.map(({ server, tools }) => [server, tools.length]),
    servers.map(({ id, tools }) => [id, tools.length]),
  )
  for (const { tools } of listed) for (const tool of tools) assert.match(String(tool['signature']), /^\w+\(/)
  assert.match((await crow({ home }, ['tools', 'memory'])).out, /^ {2}delete_memory +destroy /m)
})

test('the lock is written, found equal, and tells what has changed', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const file = join(home, 'lock.json')
  const missing = await crow({ home }, ['tools', '--check', '--file', file])
  assert.equal(missing.status, 1)
  assert.match(missing.err, /crow tools --lock/)
  assert.equal((await crow({ home }, ['tools', '--lock', '--file', file])).status, 0)
  assert.equal((await crow({ home }, ['tools', '--check', '--file', file])).status, 0)
  const lock = readFileSync(file, 'utf8')
  writeFileSync(file, lock.replace('"destroy"', '"write"'))
  const edited = await crow({ home }, ['tools', '--check', '--file', file])
  assert.equal(edited.status, 1)
  assert.doesNotMatch(edited.err, /^\s+at /m)
})

test('a file that cannot be written is one sentence', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const args of [
    ['tools', '--lock', '--file', join(home, 'no', 'lock')],
    ['docs', '--out', '/proc/no/pages'],
  ]) {
    const run = await crow({ home }, args)
    assert.equal(run.status, 73)
    assert.match(run.err, /^crow: .*\/no.* cannot be used \(ENOENT\)\.\n$/)
  }
})

test('pages are written where one wants them, and checked', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const stale = await crow({ home }, ['docs', '--check', '--out', home])
  assert.equal(stale.status, 1)
  assert.match(stale.out, /stale: .*TOOLS\.md/)
  const pages = join(home, 'new', 'pages')
  assert.equal((await crow({ home }, ['docs', '--out', pages])).status, 0)
  const fresh = await crow({ home }, ['docs', '--check', '--out', pages, '--json'])
  assert.deepEqual([fresh.status, JSON.parse(fresh.out).stale], [0, []])
})
