import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeProblem } from '../../../src/cli/node-version.ts'
import { crow, crowArguments, ROOT, scratchFolder } from './crow.ts'

const timeout = 60_000

test('Node 22.18 is the oldest that may run it', { timeout }, () => {
  for (const version of ['22.18.0', '22.99.1', '23.0.0', '24.21.0', '100.0.0'])
    assert.equal(nodeProblem(version), undefined, version)
  for (const version of ['22.17.9', '20.20.2', '18.0.0', '9.0.0'])
    assert.match(nodeProblem(version) ?? '', /needs Node\.js 22\.18 or newer/)
})

test('only where a newer Node comes with the install does the message point to it', { timeout }, () => {
  assert.match(nodeProblem('20.0.0', 'linux', 'arm64') ?? '', /; start it with bin\/crow, which finds a newer one\.$/)
  for (const [platform, arch] of [
    ['darwin', 'arm64'],
    ['win32', 'x64'],
    ['linux', 'riscv64'],
  ] as const)
    assert.match(nodeProblem('20.0.0', platform, arch) ?? '', /; install Node\.js 22\.18 or newer\.$/)
})

/** Node's that are too old: this one, which says so of itself, and what this machine has. */
function oldNodes(folder: string): string[][] {
  const pretence = join(folder, 'old.cjs')
  const versions = "{ ...process.versions, node: '20.20.2' }"
  writeFileSync(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  const real = ['/usr/bin/node', '/usr/local/bin/node'].filter((path) => {
    if (!existsSync(path)) return false
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
    return nodeProblem(version) !== undefined
  })
  return [[process.execPath, '--require', pretence], ...real.map((path) => [path])]
}

test('an old Node gets one sentence from the bundle, before anything is loaded', { timeout }, (t) => {
  const cwd = scratchFolder(t)
  for (const [node = '', ...before] of oldNodes(cwd)) {
    const run = spawnSync(node, [...before, ...crowArguments('serve')], { encoding: 'utf8', cwd, env: {} })
    assert.equal(run.status, 1, node)
    assert.match(
      run.stderr,
      /^crow: this needs Node\.js 22\.18 or newer, and .* is running it; .*(bin\/crow|install Node).*\n$/,
    )
  }
})

test('the sources run as they are, through the launcher, with no environment', { timeout }, (t) => {
  const run = spawnSync('/usr/bin/env', ['-i', `HOME=${scratchFolder(t)}`, join(ROOT, 'bin', 'crow'), '--version'], {
    encoding: 'utf8',
    cwd: '/',
  })
  assert.equal(run.status, 0, run.stderr)
  assert.match(run.stdout, /^\d+\.\d+\.\d+\n$/)
})

test('the bundle says the same version', { timeout }, async (t) => {
  assert.match((await crow({ home: scratchFolder(t) }, ['-v'])).out, /^\d+\.\d+\.\d+\n$/)
})
