// The rules of the house find what they look for, however it is spelt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { environmentReads, memberWrites, testsWithoutLimit } from './syntax.ts'

const timeout = 10_000
const parse = (text: string) => parseSync('example.ts', text).program

test('the environment is found however it is read', { timeout }, () => {
  for (const text of [
    'process.env.HOME',
    "process['env']",
    'globalThis.process.env',
    'const { env } = process',
    'const { argv, env: surroundings } = process',
    'function f(from: NodeJS.Process) { const { stdout, env } = from }',
    'const f = (from: NodeJS.Process) => from.env',
    'function f({ env }: NodeJS.Process) {}',
    "import { env } from 'node:process'",
    "import here from 'process'\nhere.env",
  ])
    assert.equal(environmentReads(parse(text), text).length, 1, text)
  for (const text of [
    'terminal.env',
    'function f({ env }: Machine) { return env }',
    'const { argv } = process',
    '// process.env',
  ])
    assert.deepEqual(environmentReads(parse(text), text), [], text)
})

test('a member that is written is found however its owner is called', { timeout }, () => {
  for (const text of ['request.caller = x', 'req.caller = x', "request['caller'] = x", 'a.b.caller ??= x'])
    assert.equal(memberWrites(parse(text), 'caller').length, 1, text)
  for (const text of ['this.caller = x', 'const caller = x', 'request.caller === x', "'request.caller = x'"])
    assert.deepEqual(memberWrites(parse(text), 'caller'), [], text)
})

test('each test without a time limit is found, not each file', { timeout }, () => {
  const text = `
    const timeout = 1
    const limits = { timeout: 1 }
    const more = { ...limits, concurrency: true }
    test('a', { timeout }, () => {})
    test('b', limits, () => {})
    test('c', more, async (t) => { await t.test('d', { timeout }, () => {}) })
    test('e', () => timeout)
    test('f', { concurrency: true }, async (t) => { await t.test('g', () => /x/.test('timeout')) })
  `
  const found = testsWithoutLimit(parse(text)).map((start) => /'(\w)'/.exec(text.slice(start))?.[1])
  assert.deepEqual(new Set(found), new Set(['e', 'f', 'g']))
})
