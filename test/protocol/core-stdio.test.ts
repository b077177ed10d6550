// `crow stdio core` with real clients of both lines over real pipes: what it lists, what it tells, and what it remembers.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { at, call, initialize, modern } from '../fixtures/rpc.ts'
import { until } from '../fixtures/until.ts'
import { temporaryFolder } from '../src/db/temporary.ts'

const timeout = 120_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DRIZZLE = join(ROOT, 'fast-drizzle.mjs')
const SURFACE = join(ROOT, 'test', 'fixtures', 'stdio-surface.ts')

const envOf = (folder: string, more: Record<string, string> = {}) => ({
  PATH: '/usr/bin:/bin',
  HOME: folder,
  CROW_DATA_DIR: folder,
  CROW_LOG_LEVEL: 'warn',
  ...more,
})

/** The fixture serves every server of a full installation; `bin/crow` is the command itself. */
const surface = (folder: string, server = 'core') => ({
  command: process.execPath,
  args: ['--import', DRIZZLE, SURFACE, server],
  env: envOf(folder),
  stderr: 'inherit' as const,
})
const real = (folder: string, server = 'core') => ({
  command: join(ROOT, 'bin', 'crow'),
  args: ['stdio', server],
  env: envOf(folder),
  stderr: 'inherit' as const,
})

const activate = (server: string) => ({ name: 'crow_activate_server', arguments: { server } })
const deactivate = (server: string) => ({ name: 'crow_deactivate_server', arguments: { server } })
const textOf = (result: object): unknown => at(result, 'content.0.text')

async function oldClient(name: string, parameters: ConstructorParameters<typeof OldTransport>[0]): Promise<OldClient> {
  const client = new OldClient({ name, version: '1.0.0' }, { capabilities: {} })
  await client.connect(new OldTransport(parameters))
  return client
}

async function modernClient(name: string, parameters: ConstructorParameters<typeof ModernTransport>[0]) {
  let changes = 0
  const client = new ModernClient(
    { name, version: '1.0.0' },
    {
      capabilities: {},
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (changes += 1) } },
    },
  )
  await client.connect(new ModernTransport(parameters))
  return { client, changes: () => changes }
}

const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }): string[] =>
  tools.map(({ name }) => name)

test('the command lists 24 tools of memory and its own three, in both eras', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const old = await oldClient('old', real(folder))
  t.after(() => old.close())
  const before = namesOf(await old.listTools())
  assert.equal(before.length, 24 + 3)
  assert.equal(old.getServerVersion()?.name, 'crow-core')
  const told = old.getInstructions()?.match(/\bcrow_\w+/g) ?? []
  assert.ok(told.length > 0)
  assert.deepEqual(
    told.filter((name) => !before.includes(name)),
    [],
    'every tool that instructions name is listed',
  )
  assert.match(String(textOf(await old.callTool(activate('memory')))), /^memory is active already: 24 tools\.$/)
  const { client } = await modernClient('new', real(folder))
  t.after(() => client.close())
  assert.deepEqual(namesOf(await client.listTools()), before)
  assert.equal((await client.listResources()).resources.length, (await old.listResources()).resources.length)
})

test(
  '2025: a server is activated, told, called, hidden and remembered by the name of the client',
  { timeout },
  async (t) => {
    const folder = temporaryFolder(t)
    const client = await oldClient('desk', surface(folder))
    t.after(() => client.close())
    let told = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (told += 1))
    assert.equal((await client.listTools()).tools.length, 27)
    await client.callTool(activate('projects'))
    await until(() => told === 1, 'the notification')
    assert.equal((await client.listTools()).tools.length, 27 + 23)
    const made = await client.callTool({ name: 'crow_create_project', arguments: { name: 'Roof' } })
    assert.ok(made.isError !== true, JSON.stringify(made))
    await client.callTool(activate('storage'))
    await client.callTool(deactivate('projects'))
    await until(() => told === 3, 'both notifications')
    await assert.rejects(
      client.callTool({ name: 'crow_create_project', arguments: { name: 'Roof' } }),
      /activate_server/,
    )
    await client.close()

    const again = await oldClient('desk', surface(folder))
    t.after(() => again.close())
    assert.equal((await again.listTools()).tools.length, 27 + 8)
    const other = await oldClient('another', surface(folder))
    t.after(() => other.close())
    assert.equal((await other.listTools()).tools.length, 27)
  },
)

test('2026: a client that listens is told, and one that only keeps lists sees the new one', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const { client, changes } = await modernClient('desk', surface(folder))
  t.after(() => client.close())
  assert.equal((await client.listTools()).tools.length, 27)
  await client.callTool(activate('projects'))
  assert.equal((await client.listTools()).tools.length, 27 + 23)
  await until(() => changes() === 1, 'the notification')
  const made = await client.callTool({ name: 'crow_create_project', arguments: { name: 'Roof' } })
  assert.ok(made.isError !== true, JSON.stringify(made))
  await client.close()
  const again = await modernClient('desk', surface(folder))
  t.after(() => again.client.close())
  assert.equal((await again.client.listTools()).tools.length, 27 + 23)
})

/** Writes everything at once and closes the pipe, as a script does. */
async function answersTo(folder: string, messages: readonly unknown[]): Promise<Map<unknown, unknown>> {
  const { command, args, env } = surface(folder)
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  assert.deepEqual(await exited, [0, null])
  return new Map(lines.map((line): [unknown, unknown] => [at(JSON.parse(line), 'id'), JSON.parse(line)]))
}

const countIn = (answer: unknown): unknown => at(answer, 'result.tools.length')

test(
  'sent in one go, a list and a call behind an activation see what it added, in both eras',
  { timeout },
  async (t) => {
    const folder = temporaryFolder(t)
    const project = { name: 'crow_create_project', arguments: { name: 'Roof' } }
    const old = await answersTo(folder, [
      initialize(),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('tools/call', activate('projects'), 1),
      call('tools/list', {}, 2),
      call('tools/call', project, 3),
      call('tools/call', deactivate('projects'), 4),
      call('tools/list', {}, 5),
    ])
    assert.deepEqual([countIn(old.get(2)), countIn(old.get(5))], [27 + 23, 27])
    assert.equal(at(old.get(3), 'result.isError'), undefined, JSON.stringify(old.get(3)))
    const fresh = await answersTo(folder, [
      modern('tools/call', activate('projects'), { id: 1 }).body,
      modern('tools/list', {}, { id: 2 }).body,
      modern('tools/call', project, { id: 3 }).body,
    ])
    assert.equal(countIn(fresh.get(2)), 27 + 23)
    assert.equal(at(fresh.get(2), 'result.ttlMs'), 0)
    assert.equal(at(fresh.get(3), 'result.isError'), undefined, JSON.stringify(fresh.get(3)))
  },
)

test('every server and the router are served over stdio, for the device of the environment', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const router = await oldClient('old', surface(folder, 'router'))
  t.after(() => router.close())
  assert.ok(namesOf(await router.listTools()).includes('crow_projects'))
  const found = await router.callTool({ name: 'crow_discover', arguments: { category: 'blog' } })
  assert.match(String(textOf(found)), /create_post/)
  const blog = await oldClient('old', surface(folder, 'blog'))
  t.after(() => blog.close())
  assert.equal((await blog.listTools()).tools.length, 23)
  const env = envOf(folder, { CROW_DEVICE_ID: 'desk', CROW_CONTEXT_WRITES: 'free' })
  const memory = await oldClient('old', { ...surface(folder, 'memory'), env })
  t.after(() => memory.close())
  const section = { section_key: 'desk', section_title: 'Desk', content: 'Only on this desk.', device_id: 'desk' }
  await memory.callTool({ name: 'crow_add_context_section', arguments: section })
  const shown = await memory.callTool({ name: 'crow_get_context', arguments: {} })
  assert.match(JSON.stringify(shown), /Only on this desk/)
})
