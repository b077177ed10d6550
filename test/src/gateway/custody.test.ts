// Who looks after external servers where no gateway does, and how they are handed on: one process at a time, whatever ends it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { entriesOf, isAlive, startsIn, writeServers, type Entries } from '../../fixtures/external/composed.ts'
import { piped, saidIn, type Piped } from '../../fixtures/external/piped.ts'
import { recorded } from '../../fixtures/upstream/fake-record.ts'
import { until } from '../../fixtures/until.ts'
import { crow, scratchFolder, serve } from '../cli/crow.ts'

const timeout = 180_000
/** Of the lease of a process that was killed, and the rounds that see it end. */
const HANDED_ON_MS = 40_000
const ELSEWHERE = /looks after the external tools[\s\S]*start the gateway \(crow serve\)/i

interface Place {
  readonly home: string
  readonly env: { readonly CROW_DATA_DIR: string }
  /** Children of a server that live now. */
  readonly living: (id: string) => number[]
  /** And what they have started. */
  readonly livingBelow: (id: string) => number[]
}

function place(t: TestContext, servers: Entries): Place {
  const home = scratchFolder(t)
  const data = join(home, 'data')
  writeServers(data, entriesOf(data, servers))
  const started = (id: string): number[] => startsIn(join(data, `${id}.jsonl`))
  t.after(() => {
    for (const pid of Object.keys(servers).flatMap(started)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  return {
    home,
    env: { CROW_DATA_DIR: data },
    living: (id) => started(id).filter(isAlive),
    livingBelow: (id) =>
      recorded(join(data, `${id}.jsonl`), 'grandchild')
        .map(({ pid }) => Number(pid))
        .filter(isAlive),
  }
}

const echo = async (client: Piped): Promise<string> => saidIn(await client.call('one_echo', { message: 'x' }))

/** Asks until the answer is as wanted. @returns the answers before */
async function untilEcho(client: Piped, limitMs: number): Promise<string[]> {
  const before: string[] = []
  const end = Date.now() + limitMs
  for (;;) {
    const said = await echo(client)
    if (said === 'Echo: x') return before
    before.push(said)
    assert.ok(Date.now() < end, before.at(-1))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test(
  'without a gateway one process looks after the servers; another is told what helps, and is next',
  { timeout },
  async (t) => {
    const { home, env, living } = place(t, { one: { ignore: ['end'] } })
    const first = await piped(t, { home })
    await untilEcho(first, 20_000)
    const second = await piped(t, { home, era: '2025' })
    await until(() => living('one').length === 1)
    assert.match(await echo(second), ELSEWHERE)
    const called = await crow({ home, env }, ['call', 'tools', 'one_echo', '--message', 'x'])
    assert.equal(called.status, 1)
    assert.match(called.out + called.err, ELSEWHERE)
    const listed = await crow({ home, env }, ['tools', 'tools'])
    assert.match(listed.out, /one_echo/)

    assert.equal(await first.end(), 0)
    assert.deepEqual(await untilEcho(second, 10_000), [], 'a clean end hands on at once')
    const third = await piped(t, { home })
    assert.match(await echo(third), ELSEWHERE)
    await second.kill()
    const refusals = await untilEcho(third, HANDED_ON_MS)
    for (const refusal of refusals) assert.match(refusal, ELSEWHERE)
    await until(() => living('one').length === 1, 'what the killed one left is ended')
  },
)

test('a gateway that starts later takes over, and when it is killed the process does again', { timeout }, async (t) => {
  const { home, env, living } = place(t, { one: {} })
  const client = await piped(t, { home })
  await untilEcho(client, 20_000)
  const [own] = living('one')
  const gateway = await serve(t, { home, env })
  await untilEcho(client, 10_000)
  await until(() => living('one').length === 1 && !living('one').includes(own ?? 0), 'only the child of the gateway')
  // Until it has gone, a call may reach it and be cut off with it, which nobody may make again for its caller.
  await gateway.end('SIGKILL')
  assert.deepEqual(await untilEcho(client, 20_000), [], 'no call is lost to a gateway that is gone')
  await until(() => living('one').length === 1)
})

test('children that a killed gateway left are ended at its next start, nobody else’s are', { timeout }, async (t) => {
  const stubborn = { one: { ignore: ['end', 'SIGHUP'], grandchild: true } }
  const [killed, other] = [place(t, stubborn), place(t, stubborn)]
  const [gateway, beside] = await Promise.all([serve(t, killed), serve(t, other)])
  await until(() => killed.living('one').length === 1 && other.living('one').length === 1, 'both run', 30_000)
  const client = await piped(t, { home: killed.home })
  await untilEcho(client, 20_000)
  await client.end()
  const [left] = killed.living('one')
  const [theirs] = other.living('one')
  await gateway.end('SIGKILL')
  assert.deepEqual(killed.living('one'), [left])
  const again = await serve(t, killed)
  await until(() => !killed.living('one').includes(left ?? 0), 'the child of the killed gateway is ended', 20_000)
  assert.deepEqual(other.living('one'), [theirs])
  await Promise.all([again.end('SIGTERM'), beside.end('SIGTERM')])
  for (const { living, livingBelow } of [killed, other])
    await until(() => [...living('one'), ...livingBelow('one')].length === 0, 'none is left')
})

test('a server that is switched off or removed ends with all that it has started', { timeout }, async (t) => {
  const stubborn = { ignore: ['end', 'SIGHUP', 'SIGTERM'], grandchild: true }
  const { home, env, living, livingBelow } = place(t, { one: stubborn, two: stubborn })
  const data = env.CROW_DATA_DIR
  const gateway = await serve(t, { home, env })
  const all = (id: string): number[] => [...living(id), ...livingBelow(id)]
  await until(() => all('one').length === 2 && all('two').length === 2, 'both run with what they started', 30_000)
  const off = await crow({ home, env }, ['servers', 'disable', 'one'])
  assert.equal(off.status, 0, off.err)
  await until(() => all('one').length === 0, 'the one that is off has ended', 15_000)
  assert.equal(all('two').length, 2)
  const entries = entriesOf(data, { one: stubborn, two: stubborn })
  const behindShell = { command: 'sh', args: ['-c', `"$0" "$1" "$2"; true`, ...commandOf(entries['two'])] }
  writeServers(data, { two: behindShell })
  await until(() => living('two').length === 1 && livingBelow('two').length === 1, 'it runs behind a shell', 30_000)
  await until(() => all('one').length === 0)
  await gateway.end('SIGTERM')
  await until(() => all('two').length === 0, 'none is left', 15_000)
})

function commandOf(entry: object | undefined): string[] {
  if (entry === undefined || !('command' in entry) || !('args' in entry)) throw new TypeError('no command')
  const { command, args } = entry
  return [String(command), ...(Array.isArray(args) ? args.map(String) : [])]
}
