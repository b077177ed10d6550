// Takes away one defence after the other, each alone and in a copy of the project, and requires the test of its attack to fail.
// An argument chooses attacks by a regular expression. Exit code 0 only when every test passes with all defences, and each
// one fails without its own.
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFENCES } from './defences.ts'
import type { Defence } from './defences/defence.ts'

const ROOT = join(import.meta.dirname, '../..')
const COPIED = [
  'src',
  'plugins',
  'test',
  'migrations',
  'package.json',
  'tsconfig.json',
  'fast-drizzle.mjs',
  'docs',
  'crow.lock.json',
]
const COPIES = 2
const RUN_MS = 180_000

interface Verdict {
  readonly defence: Defence
  readonly isCaught: boolean
  readonly why: string
}

interface Ran {
  readonly code: number | null
  readonly output: string
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function copyOfProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crow-mutate-'))
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs the tests of one file that have exactly these names. */
function run(folder: string, tests: string, names: readonly string[]): Promise<Ran> {
  const patterns = names.map((name) => `--test-name-pattern=/^${name.replaceAll(/[/.*+?^${}()|[\]\\]/g, '\\$&')}$/`)
  const options = ['--import', './fast-drizzle.mjs', '--test', '--test-reporter=tap', ...patterns, tests]
  // Inside a test runner of ours the child would report to it instead.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, options, {
      cwd: folder,
      timeout: RUN_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

const counted = (output: string, what: 'pass' | 'fail'): number =>
  Number(new RegExp(`^# ${what} (\\d+)`, 'm').exec(output)?.[1] ?? 0)

/** A test that fails because the file no longer parses, or the gateway no longer starts, has found nothing. */
function judge(defence: Defence, { code, output }: Ran): Verdict {
  if (code === 0) return { defence, isCaught: false, why: 'the test passes without it' }
  if (counted(output, 'fail') !== 1) return { defence, isCaught: false, why: `no test ran:\n${output.slice(-2000)}` }
  if (!/code: '?ERR_ASSERTION/.test(output))
    return { defence, isCaught: false, why: `it broke:\n${output.slice(0, 3000)}` }
  return { defence, isCaught: true, why: '' }
}

async function tryWithout(folder: string, defence: Defence): Promise<Verdict> {
  const path = join(folder, defence.file)
  const whole = await readFile(path, 'utf8')
  if (whole.split(defence.text).length !== 2)
    return { defence, isCaught: false, why: `${defence.file} does not hold its text exactly once` }
  await writeFile(
    path,
    whole.replace(defence.text, () => defence.without),
  )
  try {
    return judge(defence, await run(folder, defence.tests, [defence.test]))
  } finally {
    await writeFile(path, whole)
  }
}

async function tryAndTell(folder: string, defence: Defence): Promise<Verdict> {
  const verdict = await tryWithout(folder, defence)
  say(`${verdict.isCaught ? 'caught' : 'MISSED'}  ${defence.attack}  (${defence.file})  ${verdict.why}`)
  return verdict
}

/** The tests of one file with every defence in place: each has to be there and to pass. */
async function failingAlready(folder: string, defences: readonly Defence[]): Promise<string[]> {
  const [first] = defences
  if (first === undefined) return []
  const names = [...new Set(defences.map(({ test }) => test))]
  const { code, output } = await run(folder, first.tests, names)
  const isGood = code === 0 && counted(output, 'pass') === names.length
  return isGood ? [] : [`${first.tests}\n${output.slice(0, 3000)}`]
}

/** Works a list off in several copies at once. */
async function inCopies<T, R>(
  folders: readonly string[],
  list: readonly T[],
  work: (folder: string, one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const waiting = [...list]
  await Promise.all(
    folders.map(async (folder) => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) results.push(await work(folder, one))
    }),
  )
  return results
}

const folders = await Promise.all(Array.from({ length: COPIES }, copyOfProject))
try {
  const wanted = new RegExp(process.argv[2] ?? '')
  const chosen = DEFENCES.filter(({ attack }) => wanted.test(attack))
  const byFile = [...Map.groupBy(chosen, ({ tests }) => tests).values()]
  const problems = (await inCopies(folders, byFile, failingAlready)).flat()
  for (const problem of problems) say(`FAILS WITH ALL DEFENCES  ${problem}`)
  const verdicts = problems.length > 0 ? [] : await inCopies(folders, chosen, tryAndTell)
  const caught = verdicts.filter(({ isCaught }) => isCaught).length
  say(`mutate: ${caught} of ${chosen.length} defences are noticed by their test when they are gone`)
  process.exitCode = caught === chosen.length && chosen.length > 0 ? 0 : 1
} finally {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}
