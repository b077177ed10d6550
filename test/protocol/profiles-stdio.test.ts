// `crow stdio router` under a profile, with real clients of both lines over real pipes: what it lists, and that a change by the
// owner in another process reaches it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { until } from '../fixtures/until.ts'
import { crow, crowArguments, scratchFolder } from '../src/cli/crow.ts'

const timeout = 120_000
const INFO = { name: 'test-client', version: '1.0.0' }

const command = (home: string, ...more: string[]) => ({
  command: process.execPath,
  args: crowArguments('stdio', 'router', ...more),
  env: { HOME: home, PATH: '/usr/bin:/bin', CROW_LOG_LEVEL: 'warn' },
  stderr: 'inherit' as const,
})

const namesOf = ({ tools }: { tools: readonly { name: string }[] }): string[] => tools.map(({ name }) => name)
const isDirect = (names: readonly string[]): boolean =>
  names.includes('crow_store_memory') && !names.includes('crow_memory')

test(
  'a profile on the command line decides, in both eras, and both ways to call a tool work',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const old = new OldClient(INFO, { capabilities: {} })
    t.after(() => old.close())
    await old.connect(new OldTransport(command(home, '--profile', 'direct')))
    const modern = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } })
    t.after(() => modern.close())
    await modern.connect(new ModernTransport(command(home, '--profile', 'direct')))
    const listed = await old.listTools()
    assert.ok(isDirect(namesOf(listed)))
    // What the two lines of the SDK leave out of a tool is not ours.
    assert.deepEqual(namesOf(await modern.listTools()), namesOf(listed))
    assert.match(old.getInstructions() ?? '', /`crow_recall_by_context`/)
    assert.equal(modern.getInstructions(), old.getInstructions())
    for (const params of [
      { name: 'crow_memory_stats', arguments: {} },
      { name: 'crow_memory', arguments: { action: 'memory_stats' } },
    ]) {
      assert.notEqual((await old.callTool(params)).isError, true)
      assert.notEqual((await modern.callTool(params)).isError, true)
    }
  },
)

test(
  'what the owner gives stdio in another process is told and listed, once and for all of them',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const client = new OldClient(INFO, { capabilities: {} })
    t.after(() => client.close())
    let told = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++)
    await client.connect(new OldTransport(command(home)))
    const before = await client.listTools()
    assert.ok(namesOf(before).includes('crow_memory'))
    assert.deepEqual(await client.listTools(), before)
    await client.callTool({ name: 'crow_store_memory', arguments: { content: 'x' } })
    assert.equal(told, 0)
    const set = await crow({ home }, ['profiles', 'set', 'stdio', 'direct'])
    assert.equal(set.status, 0, set.err)
    await until(() => told > 0, 'the client is told', 2000)
    const after = await client.listTools()
    assert.ok(isDirect(namesOf(after)))
    assert.equal(told, 1)
    // Another process makes the same list.
    const next = new OldClient(INFO, { capabilities: {} })
    t.after(() => next.close())
    await next.connect(new OldTransport(command(home)))
    assert.deepEqual(await next.listTools(), after)
  },
)

test(
  'a profile that is not there, or is not for this server, is refused before anything is served',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const unknown = await crow({ home }, ['stdio', 'router', '--profile', 'dirct'])
    assert.deepEqual([unknown.status, unknown.out], [1, ''])
    assert.match(unknown.err, /There is no profile "dirct"\. Did you mean direct\?\n.*Profiles: router, direct, auto\./)
    for (const server of ['memory', 'core']) {
      const refused = await crow({ home }, ['stdio', server, '--profile', 'direct'])
      assert.equal(refused.status, 2)
      assert.match(refused.err, /--profile is for router/)
    }
  },
)
