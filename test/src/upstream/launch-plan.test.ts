// Windows is played here: the command interpreter as it reads a line, and the C runtime as it cuts one into arguments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { launchPlan, LaunchRefused } from '../../../src/upstream/launch-plan.ts'

const timeout = 20_000
const HARD = ['-y', '@scope/pkg', '--path', String.raw`My Files\a & b`, '--q', '50%', 'say "hi"']

/** Variables that are set where the line is read. */
const VARIABLES: Readonly<Record<string, string>> = { PATH: String.raw`C:\x`, q: 'EXPANDED' }

/** One reading of a line by cmd.exe: carets go, quotes protect, anything that would be a command of its own is a failure. */
function interpreted(line: string): string {
  let out = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (letter === '^' && !isQuoted) out += line[++at] ?? ''
    else {
      if (letter === '"') isQuoted = !isQuoted
      assert.ok(isQuoted || !'&|<>()'.includes(letter), `${letter} would be read by the interpreter in ${line}`)
      out += letter
    }
  }
  return out
}

/** Variables are put in before anything else is looked at, in a line that is typed; one that is not set stays. */
const expanded = (line: string): string => line.replaceAll(/%([^%]+)%/g, (all, name: string) => VARIABLES[name] ?? all)

/** How the C runtime makes `argv` of a line (Microsoft, "Parsing C command-line arguments"). */
function argv(line: string): string[] {
  const found: string[] = []
  let current: string | undefined
  let isQuoted = false
  for (let at = 0; at < line.length;) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const next = line[at + slashes]
    if (slashes > 0) {
      const isBeforeQuote = next === '"'
      current = (current ?? '') + '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes
      if (isBeforeQuote && slashes % 2 === 1) {
        current += '"'
        at++
      }
      continue
    }
    if (next === '"') {
      isQuoted = !isQuoted
      current ??= ''
    } else if (!isQuoted && (next === ' ' || next === '\t')) {
      if (current !== undefined) found.push(current)
      current = undefined
    } else current = (current ?? '') + (next ?? '')
    at++
  }
  return current === undefined ? found : [...found, current]
}

/** What arrives in the program that a script on Windows starts with all of its own arguments. */
function arrived(args: readonly string[]): string[] {
  const line = args.at(-1) ?? ''
  assert.deepEqual(args.slice(0, -1), ['/d', '/s', '/c'])
  assert.ok(line.startsWith('"') && line.endsWith('"'))
  const typed = interpreted(expanded(line.slice(1, -1)))
  const [command, ...rest] = typed.split(' ')
  // The script's own line: `node cli.js %*`.
  return [command ?? '', ...argv(interpreted(rest.join(' ')))]
}

test('a script on Windows goes through the interpreter, and every argument arrives as it was', { timeout }, () => {
  for (const command of ['npx', 'pnpm', 'npm', 'NPX']) {
    const plan = launchPlan('win32', command, HARD)
    assert.equal(plan.file, 'cmd.exe')
    assert.equal(plan.verbatim, true)
    assert.deepEqual(arrived(plan.args), [command, ...HARD])
  }
})

test('any arguments arrive', { timeout }, () => {
  const arg = fc.oneof(
    fc.string({ unit: fc.constantFrom(...Array.from('ab "\\%^&|<>()!;,=\'`*?[]{}~$q')), maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('%PATH%', '%q%', 'a\\', 'a\\\\"', '""', '', ' ', '\\'),
  )
  const written = arg.filter((text) => !/[\r\n\0]/.test(text))
  fc.assert(
    fc.property(fc.array(written, { maxLength: 5 }), (args) => {
      assert.deepEqual(arrived(launchPlan('win32', 'npx', args).args), ['npx', ...args])
    }),
    { numRuns: 500 },
  )
})

test('programs start directly, on Windows and elsewhere', { timeout }, () => {
  for (const command of ['node', 'uvx', 'python', String.raw`C:\tools\server.exe`])
    assert.deepEqual(launchPlan('win32', command, HARD), { file: command, args: HARD, verbatim: false })
  for (const platform of ['linux', 'darwin'])
    assert.deepEqual(launchPlan(platform, 'npx', HARD), { file: 'npx', args: HARD, verbatim: false })
})

const find = (command: string): string | undefined =>
  command === 'mcp-thing' ? String.raw`C:\npm\mcp-thing.CMD` : undefined

test('a command that is found as a script is one', { timeout }, () => {
  assert.equal(launchPlan('win32', 'mcp-thing', [], find).file, 'cmd.exe')
  assert.equal(launchPlan('win32', 'other', [], find).file, 'other')
  assert.equal(launchPlan('win32', String.raw`C:\my tools\run.bat`, ['x']).file, 'cmd.exe')
})

test('what cannot be carried is refused with a sentence', { timeout }, () => {
  assert.throws(() => launchPlan('win32', 'npx', ['a\nb']), LaunchRefused)
  assert.throws(() => launchPlan('linux', 'node', ['a\0b']), LaunchRefused)
  assert.throws(() => launchPlan('linux', '', []), LaunchRefused)
  assert.deepEqual(launchPlan('linux', 'node', ['a\nb']).args, ['a\nb'])
})
