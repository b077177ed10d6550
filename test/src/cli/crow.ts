// Runs the real command as a process of its own, bundled from these sources, with an environment that holds nothing of this machine.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

const RUN_MS = 30_000

/** Below node_modules, where the bundle finds its native modules and nobody commits it. One per test file, as they run at once. */
const bundle = join('node_modules', '.cache', `crow-test-${process.pid}`)
let isBuilt = false

/** Node's arguments for `crow …`. */
export function crowArguments(...args: string[]): string[] {
  if (!isBuilt) {
    const build = spawnSync(process.execPath, ['build.mjs', '--outdir', bundle], { cwd: ROOT, encoding: 'utf8' })
    if (build.status !== 0) throw new Error(build.stderr)
    process.once('exit', () => rmSync(join(ROOT, bundle), { recursive: true, force: true }))
    isBuilt = true
  }
  return [join(ROOT, bundle, 'main.js'), ...args]
}

/** A folder that is removed after the test, its path free of symbolic links. */
export function scratchFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'crow-cli-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Place {
  /** Home of the user of this test; everything the command writes lies below it. */
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function spawnCrow({ home, env, cwd }: Place, args: readonly string[]): Child {
  return spawn(process.execPath, crowArguments(...args), {
    cwd: cwd ?? home,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** Runs one command to its end, with `input` on stdin. */
export async function crow(place: Place, args: readonly string[], input = ''): Promise<Ended> {
  const child = spawnCrow(place, args)
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS)
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end(input)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  return { status: child.exitCode, out, err }
}

export interface Serving {
  readonly child: Child
  readonly port: number
  /** Everything on stdout up to and with the `listening` line. */
  readonly welcome: string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>
}

/** Starts `crow serve` on a free port and waits until it listens. Killed after the test whatever happens. */
export async function serve(t: TestContext, place: Place, args: readonly string[] = []): Promise<Serving> {
  const child = spawnCrow(place, ['serve', '--port', '0', ...args])
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const err = text(child.stderr)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  const port = await new Promise<number>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line)
      const found = /^listening http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
    void closed.then(async () => reject(new Error(`it ended instead of listening: ${await err}`)))
  })
  return {
    child,
    port,
    welcome: lines.join('\n'),
    async end(signal) {
      child.kill(signal)
      await closed
      return { status: child.exitCode, out: lines.join('\n'), err: await err }
    },
  }
}
