// Importing a file does nothing: all of them are imported in one child process, which must end by itself, silently.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { ROOT, sources } from './source.ts'

const timeout = 90_000

/** Entry points of a process or a thread: they are meant to do something when loaded. */
const ENTRIES = new Set(['src/main.ts', 'src/search/worker.ts'])

test('importing every source file starts nothing', { timeout }, () => {
  const files = sources('src', 'plugins')
    .map((file) => file.path)
    .filter((path) => !ENTRIES.has(path))
  const program = `
    const before = new Set(process.getActiveResourcesInfo())
    for (const file of ${JSON.stringify(files.map((path) => pathToFileURL(join(ROOT, path)).href))}) await import(file)
    const started = process.getActiveResourcesInfo().filter((name) => !before.has(name) && /Timeout|Immediate|Server|Worker|Socket/.test(name))
    if (started.length > 0) { console.error(started.join(', ')); process.exitCode = 1 }
  `
  const run = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(join(ROOT, 'fast-drizzle.mjs')).href, '--input-type=module', '-e', program],
    { cwd: ROOT, encoding: 'utf8', timeout: timeout - 5_000, env: { PATH: process.env['PATH'] } },
  )
  assert.equal(run.signal, null, 'the process did not end by itself')
  assert.deepEqual({ status: run.status, out: run.stdout, err: run.stderr }, { status: 0, out: '', err: '' })
})

test('no file imports a value of node:http, which would load an HTTP client into every start', { timeout }, () => {
  const importing = sources('src', 'plugins').filter(({ imports }) =>
    imports.some(({ from, typeOnly }) => from === 'node:http' && !typeOnly),
  )
  assert.deepEqual(
    importing.map(({ path }) => path),
    [],
  )
})
