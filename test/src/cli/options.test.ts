import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Options, parseOptions, UsageError } from '../../../src/cli/options.ts'

const timeout = 10_000

const options = {
  json: { type: 'flag', help: '' },
  port: { type: 'integer', min: 0, max: 65_535, value: 'N', help: '' },
  min_importance: { type: 'integer', min: 1, max: 10, help: '' },
  scope: { type: 'list', help: '' },
  transport: { type: 'text', choices: ['http', 'stdio'], help: '' },
  name: { type: 'text', short: 'n', help: '' },
} as const satisfies Options

const parse = (...args: string[]) => parseOptions({ options, positionals: [0, 2] }, args)
const refusal = (...args: string[]): string => {
  try {
    parse(...args)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return 'accepted'
}

test('values arrive in the types their options declare, absent ones as undefined', { timeout }, () => {
  const { options: values, positionals } = parse(
    'a',
    '--port',
    '8080',
    '--json',
    '--scope=x',
    '--scope',
    'y',
    'b',
    '-n',
    'me',
  )
  assert.deepEqual({ ...values }, { port: 8080, json: true, scope: ['x', 'y'], name: 'me' })
  assert.deepEqual(positionals, ['a', 'b'])
})

test('hyphens and underscores are the same in an option name', { timeout }, () => {
  assert.equal(parse('--min-importance', '3').options.min_importance, 3)
  assert.equal(parse('--min_importance=3').options.min_importance, 3)
})

test('a flag can be said, unsaid and spelled out', { timeout }, () => {
  assert.equal(parse('--json').options.json, true)
  assert.equal(parse('--no-json').options.json, false)
  assert.equal(parse('--json=false').options.json, false)
  assert.match(refusal('--json=maybe'), /true or false/)
  assert.equal(parse('--json', 'false').options.json, false)
  assert.equal(parse('--json', 'true', 'a').options.json, true)
  assert.deepEqual(parse('--json', 'a', 'false').positionals, ['a', 'false'])
})

test('values may look like anything, options excepted', { timeout }, () => {
  assert.equal(parse('--name', '-5').options.name, '-5')
  assert.equal(parse('--name', '--- front matter').options.name, '--- front matter')
  assert.equal(parse('--name=').options.name, '')
  assert.match(refusal('--name', '--json'), /--name needs a value/)
  assert.match(refusal('--port'), /--port needs a value: --port N/)
})

test('a mistyped option is refused with the one that was meant', { timeout }, () => {
  assert.match(refusal('--prot', '1'), /no option --prot; did you mean --port\?/)
  assert.match(refusal('--jsno'), /did you mean --json\?/)
  assert.doesNotMatch(refusal('--frobnicate'), /did you mean/)
})

test('names of object members are no options', { timeout }, () => {
  assert.match(refusal('--constructor'), /no option --constructor/)
  assert.match(refusal('--__proto__', 'x'), /no option --__proto__/)
})

test('numbers outside of their bounds are refused with the bounds', { timeout }, () => {
  for (const value of ['-1', '65536', '1.5', '1e3', 'x', '', '0x10']) {
    assert.match(refusal('--port', value), /whole number from 0 to 65535/, value)
  }
})

test('a choice is refused with the choices', { timeout }, () => {
  assert.match(refusal('--transport', 'htpp'), /one of http, stdio, not "htpp"; did you mean http\?/)
})

test('an option twice and an argument too many are mistakes', { timeout }, () => {
  assert.match(refusal('--port', '1', '--port', '2'), /given twice/)
  assert.match(refusal('a', 'b', 'c'), /"c" is one too many/)
})

test('an argument that is missing is named as the help names it', { timeout }, () => {
  const grammar = { options, usage: 'SERVER TOOL [--json]', positionals: [2, 2] } as const
  assert.throws(() => parseOptions(grammar, []), { message: 'SERVER and TOOL are missing' })
  assert.throws(() => parseOptions(grammar, ['memory']), { message: 'TOOL is missing' })
  assert.throws(() => parseOptions({ options, positionals: [1, 1] }, []), { message: 'an argument is missing' })
})

test('asking for help beats missing arguments', { timeout }, () => {
  const parsed = parseOptions({ options, positionals: [2, 2] }, ['--help'])
  assert.equal(parsed.help, true)
})

test('what follows the last positional is handed on untouched when a command asks for it', { timeout }, () => {
  const parsed = parseOptions({ options, positionals: [1, 2], passthrough: true }, [
    '--json',
    's',
    't',
    '--unknown',
    '-x',
    '--port',
  ])
  assert.deepEqual(parsed.positionals, ['s', 't'])
  assert.deepEqual(parsed.rest, ['--unknown', '-x', '--port'])
  assert.equal(parsed.options.json, true)
})

test('two hyphens end the options', { timeout }, () => {
  assert.deepEqual(parse('--', '--json', '-x').positionals, ['--json', '-x'])
})
