import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryServer } from '../../../src/servers/memory/index.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test('a tool is called with flags, with JSON, and with JSON from stdin', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const call = async (args: string[], input?: string) => await crow({ home }, ['call', 'memory', ...args], input)
  const flags = await call([
    'store_memory',
    '--content',
    'Ana likes tea.',
    '--importance',
    '8',
    '--tags',
    'ana',
    '--tags',
    'drinks',
  ])
  assert.deepEqual([flags.status, flags.err], [0, ''])
  const json = await call(['crow_store_memory', '--params', '{"content":"Ben likes coffee."}'])
  assert.equal(json.status, 0, json.err)
  const stdin = await call(
    ['store_memory', '--params', '-', '--category', 'person'],
    '{"content":"Eva likes juice.","category":"x"}',
  )
  assert.equal(stdin.status, 0, stdin.err)
  const got = await call(['get_memory', '--id', '3', '--json'])
  assert.match(got.out, /Eva likes juice/)
  assert.match(got.out, /person/, 'a flag wins over the JSON')
  const first = JSON.parse((await call(['get_memory', '--id', '1'])).out)
  assert.deepEqual([first.importance, first.tags], [8, ['ana', 'drinks']])
})

test('a reply that no model could take at once comes whole, for a person and for a program', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const content = '日本語 '.repeat(12_000)
  const stored = await crow({ home }, ['call', 'memory', 'store_memory', '--params', '-'], JSON.stringify({ content }))
  assert.equal(stored.status, 0, stored.err)
  const got = await crow({ home }, ['call', 'memory', 'get_memory', '--id', '1'])
  assert.equal(got.status, 0, got.err)
  assert.equal(JSON.parse(got.out).content, content)
  const forPrograms = await crow({ home }, ['call', 'memory', 'get_memory', '--id', '1', '--json'])
  assert.equal(forPrograms.status, 0, forPrograms.err)
  assert.ok(forPrograms.out.includes(content))
})

test('an answer for programs is its data, or its text, in one line', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const stored = await crow({ home }, ['call', 'memory', 'store_memory', '--content', 'x', '--json'])
  assert.match(JSON.parse(stored.out).text, /^Stored: id 1/)
  const run = await crow({ home }, ['call', 'memory', 'get_memory', '--id', '1', '--json'])
  assert.equal(run.status, 0, run.err)
  assert.equal(JSON.parse(run.out).content, 'x')
  assert.equal(run.out.trim().split('\n').length, 1)
})

test(
  'a tool that refuses makes the exit code 1, or 2 for wrong parameters, and says why on stderr',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    await crow({ home }, ['call', 'memory', 'store_memory', '--content', 'x'])
    const missing = await crow({ home }, ['call', 'memory', 'get_memory', '--id', '7'])
    assert.equal(missing.status, 1)
    assert.match(missing.err, /^crow: There is no memory with id 7\.\ncrow: Find the right id .*\.\n$/)
    assert.equal(missing.out, '')
    const invalid = await crow({ home }, [
      'call',
      'memory',
      'store_memory',
      '--content',
      'x',
      '--importance',
      '99',
      '--json',
    ])
    assert.deepEqual([invalid.status, invalid.out], [2, ''])
    const { error, exitCode } = JSON.parse(invalid.err)
    assert.deepEqual([error.code, exitCode], ['VALIDATION_ERROR', 2])
    assert.match(error.message, /importance: must be an integer from 1 to 10/)
  },
)

test('something is destroyed only when the command line agrees', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const call = async (...args: string[]) => await crow({ home }, ['call', 'memory', ...args])
  await call('store_memory', '--content', 'The spare key is under the pot.')
  const refused = await call('delete_memory', '--id', '1')
  assert.equal(refused.status, 1)
  assert.match(refused.out, /spare key/)
  assert.match(refused.err, /^crow: nothing was changed; run it again with --yes to go through with it\.\n$/)
  assert.doesNotMatch(refused.out + refused.err, /token/)
  const asJson = await call('delete_memory', '--id', '1', '--json')
  assert.equal(asJson.status, 1)
  assert.equal(JSON.parse(asJson.err).error.code, 'CONFIRM_REQUIRED')
  assert.match(JSON.parse(asJson.err).error.message, /spare key/)
  assert.doesNotMatch(asJson.out + asJson.err, /token/)
  assert.equal((await call('get_memory', '--id', '1')).status, 0)
  const agreed = await call('delete_memory', '--id', '1', '--yes')
  assert.equal(agreed.status, 0, agreed.err)
  assert.equal((await call('get_memory', '--id', '1')).status, 1)
})

test(
  '--yes agrees whatever way of confirming is configured, and none is asked for when it is off',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    for (const [mode, ...flags] of [['token', '--yes'], ['elicit', '--yes'], ['off']] as const) {
      const env = { CROW_CONFIRM: mode }
      await crow({ home, env }, ['call', 'memory', 'store_memory', '--content', `Kept until ${mode}.`])
      const list = await crow({ home, env }, ['call', 'memory', 'list_memories'])
      const id = /\bid[ :=]+"?(\d+)/.exec(list.out)?.[1]
      assert.ok(id, list.out)
      const destroy = async (...more: string[]) =>
        await crow({ home, env }, ['call', 'memory', 'delete_memory', '--id', id, ...more])
      if (mode !== 'off') assert.doesNotMatch((await destroy()).out, /confirm_token/, mode)
      const deleted = await destroy(...flags)
      assert.equal(deleted.status, 0, `${mode}: ${deleted.err}`)
    }
  },
)

test('the help of a tool lists its parameters', { timeout }, async (t) => {
  const run = await crow({ home: scratchFolder(t) }, ['call', 'memory', 'store_memory', '--help'])
  assert.equal(run.status, 0)
  assert.match(run.out, /--content TEXT +\(required\)/)
  assert.match(run.out, /--project_id NUMBER/)
  const destroy = await crow({ home: scratchFolder(t) }, ['call', 'memory', 'delete_memory', '--help'])
  assert.doesNotMatch(destroy.out, /token/)
})

test('the help of a server lists its tools', { timeout }, async (t) => {
  const place = { home: scratchFolder(t) }
  for (const args of [
    ['call', 'memory', '--help'],
    ['help', 'call', 'memory'],
  ]) {
    const run = await crow(place, args)
    assert.equal(run.status, 0, run.err)
    assert.match(run.out, /^crow call memory {2}\S/)
    for (const { name, summary } of memoryServer.tools)
      assert.match(run.out, new RegExp(`^  ${name} +${summary}$`, 'm'))
  }
  assert.match((await crow(place, ['call', 'nope', '--help'])).err, /no server "nope"/)
})

test('tags are a comma list at the shell as over MCP', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const call = async (...args: string[]) => await crow({ home }, ['call', 'memory', ...args])
  const tags = async (): Promise<unknown> =>
    JSON.parse((await call('get_memory', '--id', '1', '--json')).out).tags ?? []
  await call('store_memory', '--content', 'x', '--tags', 'food, anna')
  assert.deepEqual(await tags(), ['anna', 'food'])
  for (const [given, stored] of [
    [['a,"b,c"'], ['a', 'b,c']],
    [
      ['d', 'e,f'],
      ['d', 'e', 'f'],
    ],
    [['["g,h"]'], ['g,h']],
    [['[]'], []],
  ] as const) {
    const run = await call('update_memory', '--id', '1', ...given.flatMap((one) => ['--tags', one]))
    assert.equal(run.status, 0, run.err)
    assert.deepEqual(await tags(), stored)
  }
})

test('what only reads makes no data folder', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = join(home, 'typo')
  for (const args of [
    ['call', 'memory', 'search_memories', '--query', 'x'],
    ['token', 'list'],
    ['token', 'revoke', 'x'],
    ['token', 'rotate', 'x'],
    ['inspect'],
  ]) {
    const run = await crow({ home }, [...args, '--data-dir', dataDir])
    assert.equal(run.status, 69, args.join(' '))
    assert.match(run.err, /^crow: (there is no data in|no gateway is running on) .*typo\.$/m)
  }
  assert.equal(existsSync(dataDir), false)
})

test('a mistake in the parameters of a tool leads to the help of that tool', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const args of [
    ['--bogus', '1'],
    ['--importance', 'high'],
    ['--content', 'x', '--importance', '99'],
  ]) {
    const run = await crow({ home }, ['call', 'memory', 'store_memory', ...args])
    assert.equal(run.status, 2)
    assert.match(run.err, /^Run crow call memory store_memory --help for how it is used\.$/m)
    assert.doesNotMatch(run.err, /</)
  }
  assert.match((await crow({ home }, ['call', 'memory', 'nope'])).err, /^Run crow call memory --help/m)
})

test('the help of a tool shows ranges, and --yes only where something is destroyed', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const help = async (tool: string) => (await crow({ home }, ['call', 'memory', tool, '--help'])).out
  assert.match(await help('store_memory'), /--importance NUMBER .*\(1 to 10\)/)
  assert.doesNotMatch(await help('store_memory'), /--yes/)
  assert.match(await help('delete_memory'), /-y, --yes/)
})
