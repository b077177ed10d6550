// Building while a gateway runs from an earlier build: it keeps finding its own files, and files that are back are found.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { at, initialize, rpc, type Target } from '../../fixtures/rpc.ts'
import { ROOT, scratchFolder } from './crow.ts'

const timeout = 60_000

/** Below node_modules, where the bundle finds its native modules. */
function outdirOf(t: TestContext, name: string): string {
  const outdir = join(ROOT, 'node_modules', '.cache', `crow-build-${process.pid}-${name}`)
  t.after(() => rmSync(outdir, { recursive: true, force: true }))
  return outdir
}

/** Builds, with `more` as an entry of its own, and gives the folder that `main.js` leads to. */
function build(outdir: string, more?: string): string {
  const entry = more === undefined ? [] : ['--entry', `more=${more}`]
  const run = spawnSync(process.execPath, ['build.mjs', '--outdir', outdir, ...entry], { cwd: ROOT, encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  const name = /^await import\('\.\/([0-9a-f]{16})\/main\.js'\)\n$/m.exec(
    readFileSync(join(outdir, 'main.js'), 'utf8'),
  )?.[1]
  assert.ok(name !== undefined)
  return join(outdir, name)
}

/** `crow serve` from this build, for everybody on this machine. */
async function serveFrom(t: TestContext, main: string): Promise<Target> {
  const home = scratchFolder(t)
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--no-auth'], {
    env: { HOME: home, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^listening http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port !== undefined) return { port: Number(port), token: '' }
  }
  throw new Error('it ended instead of listening')
}

/** The name of a made-up build. */
const long = (index: number): string => `000000000000000${index}`

const opening = { path: '/mcp', headers: { authorization: undefined }, body: initialize() }

test('a gateway that runs when a newer build comes still finds what it has not loaded yet', { timeout }, async (t) => {
  const outdir = outdirOf(t, 'running')
  const old = build(outdir)
  const gateway = await serveFrom(t, join(outdir, 'main.js'))
  const more = join(scratchFolder(t), 'more.ts')
  writeFileSync(more, 'process.stdout.write("more")\n')
  const newer = build(outdir, more)
  assert.notEqual(newer, old)
  for (const folder of [old, newer]) assert.ok(existsSync(join(folder, 'search-worker.js')))
  const answer = await rpc(gateway, opening)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(spawnSync(process.execPath, [join(outdir, 'more.js')], { encoding: 'utf8' }).stdout, 'more')
})

test('a part that could not be loaded is looked for again by the next request', { timeout }, async (t) => {
  const outdir = outdirOf(t, 'missing')
  const folder = build(outdir)
  const gateway = await serveFrom(t, join(outdir, 'main.js'))
  const part = readdirSync(folder).find((name) => name.startsWith('session-endpoint-'))
  assert.ok(part !== undefined)
  renameSync(join(folder, part), join(folder, 'away'))
  const failed = await rpc(gateway, opening)
  assert.equal(at(failed.messages[0], 'error.code'), -32603, failed.text)
  renameSync(join(folder, 'away'), join(folder, part))
  const answer = await rpc(gateway, opening)
  assert.equal(answer.status, 200, answer.text)
})

test(
  'of many builds the newest eight stay, and files of before there were folders go with the others',
  { timeout },
  (t) => {
    const outdir = outdirOf(t, 'many')
    for (let index = 0; index < 9; index++) {
      mkdirSync(join(outdir, long(index)), { recursive: true })
      writeFileSync(join(outdir, `chunk-${index}.js`), '')
      writeFileSync(join(outdir, `note-${index}.txt`), '')
      mkdirSync(join(outdir, `.draft-${index}`))
      for (const name of [long(index), `chunk-${index}.js`, `.draft-${index}`])
        utimesSync(join(outdir, name), index + 1, index + 1)
    }
    const folder = build(outdir)
    const kept = [2, 3, 4, 5, 6, 7, 8]
    const left = (pattern: RegExp): string[] =>
      readdirSync(outdir)
        .filter((name) => pattern.test(name))
        .toSorted()
    assert.deepEqual(left(/^[0-9a-f]{16}$/), [...kept.map(long), folder.slice(dirname(folder).length + 1)].toSorted())
    assert.deepEqual(
      left(/^chunk/),
      kept.slice(1).map((index) => `chunk-${index}.js`),
    )
    assert.equal(left(/^note/).length, 9)
    assert.equal(build(outdir), folder)
    assert.equal(left(/^[0-9a-f]{16}$/).length, 8)
    assert.equal(left(/^\.draft/).length, 6)
  },
)
