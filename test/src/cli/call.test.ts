import assert from 'node:assert/strict'
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

test('an answer for programs is the whole reply in one line', { timeout }, async (t) => {
  const run = await crow({ home: scratchFolder(t) }, ['call', 'memory', 'memory_stats', '--json'])
  assert.equal(run.status, 0, run.err)
  const reply = JSON.parse(run.out)
  assert.equal(reply.content[0].type, 'text')
  assert.equal(run.out.trim().split('\n').length, 1)
})

test('a tool that refuses makes the exit code 1, and says why on stderr', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const missing = await crow({ home }, ['call', 'memory', 'get_memory', '--id', '7'])
  assert.equal(missing.status, 1)
  assert.match(missing.err, /7/)
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
  assert.equal(invalid.status, 1)
  assert.equal(JSON.parse(invalid.out).isError, true)
})

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
  assert.match(JSON.parse(asJson.out).content[0].text, /spare key/)
  assert.doesNotMatch(asJson.out, /token/)
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
