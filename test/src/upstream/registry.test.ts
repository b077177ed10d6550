// The list follows the file, whatever an editor does to it, and never falls to a bad one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../fixtures/until.ts'
import { temporaryFolder } from '../db/temporary.ts'
import { opened, type Opened } from './owner.ts'

const timeout = 30_000
const EVERY_MS = 15

const textOf = (...ids: readonly string[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(ids.map((id) => [id, { command: 'run', args: [id] }])) })
const put = (file: string, text: string): void => writeFileSync(file, text, { mode: 0o600 })
const idsOf = (registry: Pick<Opened, 'current'>): string =>
  registry
    .current()
    .specs.map(({ id }) => id)
    .join(' ')

test('every way to change a file is followed, and each list is told once', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const registry = opened(folder, {}, EVERY_MS)
  t.after(() => registry.close())
  const { file } = registry
  const told: string[] = []
  registry.onChange((list) => told.push(list.specs.map(({ id }) => id).join(' ')))
  const becomes = async (ids: string): Promise<void> => await until(() => idsOf(registry) === ids, `it is "${ids}"`)
  assert.equal(idsOf(registry), '')
  put(file, textOf('a'))
  await becomes('a')
  const [a] = registry.current().specs
  put(`${file}.new`, textOf('a', 'b'))
  renameSync(`${file}.new`, file)
  await becomes('a b')
  assert.equal(registry.current().specs[0]?.fingerprint, a?.fingerprint)
  writeFileSync(file, '')
  writeFileSync(file, textOf('b'))
  await becomes('b')
  rmSync(file)
  await becomes('')
  put(file, textOf('c'))
  await becomes('c')
  // Same length, same time of change.
  utimesSync(file, 1, 1)
  put(file, textOf('d'))
  utimesSync(file, 1, 1)
  await becomes('d')
  assert.deepEqual(told, ['a', 'a b', 'b', '', 'c', 'd'])
})

test('a file that cannot be used leaves what was read last, and says why once', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  put(join(folder, 'servers.json'), textOf('a'))
  const registry = opened(folder)
  const { file } = registry
  const rows: readonly (readonly [() => void, RegExp])[] = [
    [() => put(file, '{"mcpServers": {"a": {"command": "hunter2'), /is not valid JSON/],
    [() => put(file, ''), /is empty; \{\} says/],
    [() => put(file, '[]'), /must hold a JSON object/],
    [() => put(file, '{"mcpServers": []}'), /"mcpServers" in servers.json must be an object/],
    [() => put(file, '{"servers": {}}'), /call that "mcpServers"/],
    [() => put(file, `{"x": "${'y'.repeat(10 << 20)}"}`), /is larger than 1048576 bytes/],
    [() => put(file, '['.repeat(100_000)), /is nested deeper than 64 levels/],
    [() => put(file, '/* '.repeat(300_000)), /is empty/],
    [() => put(file, '"\\\n'.repeat(200_000)), /is not valid JSON/],
    [() => put(file, '"a\\'.repeat(300_000)), /is not valid JSON/],
    [() => put(file, textOf(...Array.from({ length: 257 }, (_, at) => `s${at}`))), /more than 256 entries/],
    [() => (put(file, textOf('b')), chmodSync(file, 0o620)), /can be changed by other users .* chmod 600/],
    [() => (rmSync(file), execFileSync('mkfifo', ['-m', '600', file])), /is not a file/],
    [() => (rmSync(file), mkdirSync(file)), /is not a file/],
  ]
  for (const [spoil, sentence] of rows) {
    spoil()
    registry.reload()
    assert.equal(idsOf(registry), 'a')
    assert.match(registry.current().problems[0]?.message ?? 'nothing', sentence)
    registry.reload()
  }
  assert.equal(registry.logged.filter((line) => /is empty/.test(line)).length, 2)
  assert.doesNotMatch(registry.logged.join(''), /hunter2/)
  rmSync(file, { recursive: true })
  registry.reload()
  assert.deepEqual([idsOf(registry), registry.current().problems], ['', []])
})

test('comments, commas, a byte order mark, unknown members and doubled ids are lived with', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const text = `\uFEFF// mine
  { "other": {"deep": ${'['.repeat(60)}${']'.repeat(60)}},
    "mcpServers": { /* all */
      "a": { "command": "run", "args": ["// no comment", "/* nor this */", "a,]",], },
      "a": { "command": "second" },
      "bad": 1,
    }, }`
  put(join(folder, 'servers.json'), text)
  chmodSync(join(folder, 'servers.json'), 0o644)
  const { specs, problems, notes } = opened(folder).current()
  assert.deepEqual(
    specs.map(({ id, target }) => [id, target.kind === 'stdio' && target.command]),
    [['a', 'second']],
  )
  assert.deepEqual(problems, [{ id: 'bad', message: 'bad must be an object' }])
  assert.match(notes.map(({ message }) => message).join('\n'), /stands twice.*\n.*can be read by other users/)
})

test('a changed secret is taken up at a reload, an unchanged list is not told', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const secrets = new Map([['upstream/a/T', 'one']])
  const withSecret = { mcpServers: { a: { command: 'run', env: { T: '${secret:a/T}' } }, b: { command: 'run' } } }
  put(join(folder, 'servers.json'), JSON.stringify(withSecret))
  const registry = opened(folder, { secrets })
  let told = 0
  const stop = registry.onChange(() => told++)
  registry.onChange(() => {
    throw new Error('a bad listener')
  })
  registry.reload()
  assert.equal(told, 0)
  const before = registry.current()
  secrets.set('upstream/a/T', 'two')
  registry.reload()
  assert.equal(told, 1)
  const changed = registry.current().specs.map(({ fingerprint }, at) => fingerprint !== before.specs[at]?.fingerprint)
  assert.deepEqual(changed, [true, false])
  assert.match(registry.logged.join(''), /a bad listener/)
  assert.doesNotMatch(registry.logged.join(''), /"(one|two)"/)
  stop()
  secrets.delete('upstream/a/T')
  registry.reload()
  assert.deepEqual([told, idsOf(registry)], [1, 'b'])
})
