// The reference servers of the protocol, as they are published.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ANYONE, askable, specOf, stand, textOf } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000
const START_MS = 30_000

const command = (
  url: string,
  ...args: string[]
): { kind: 'stdio'; command: string; args: string[]; env: Record<string, string> } => ({
  kind: 'stdio',
  command: process.execPath,
  args: [fileURLToPath(url), ...args],
  env: {},
})

const everything = command(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
const memory = command(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'))
const filesystem = import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

test('server-everything: what it shows depends on who asks, and it can ask', { timeout }, async (t) => {
  const at = await stand(t, [specOf('every', { target: everything })])
  at.hub.start()
  await until(() => at.names().includes('every_echo'), 'it is listed', START_MS)
  assert.equal(textOf(await at.call('every_echo', { message: 'hi' })), 'Echo: hi')
  const caller = askable('a', 'elicitation,sampling')
  at.names(caller)
  const own = (): string[] => at.names(caller).filter((name) => !at.names().includes(name))
  await until(() => own().length > 0, 'the list of who can be asked', START_MS)
  const asking = own().find((name) => name.endsWith('elicitation-request')) ?? ''
  const needed = await at.asks(asking, {}, { caller })
  const [name = '', request] = Object.entries(needed.requests)[0] ?? []
  assert.equal(request?.method, 'elicitation/create')
  const elicit = { supported: true, state: needed.state, responses: { [name]: { action: 'decline' } } }
  assert.match(JSON.stringify(await at.call(asking, {}, { caller, elicit })), /declined/i)
  const prompts = at.source.content?.prompts(ANYONE) ?? []
  assert.ok(prompts.length > 0)
  assert.ok((at.source.content?.templates(ANYONE) ?? []).length > 0)
})

test('server-filesystem sees the folder it was given and no other', { timeout }, async (t) => {
  const folder = temporaryFolder(t)
  const inside = join(folder, 'inside')
  mkdirSync(inside)
  writeFileSync(join(inside, 'a.txt'), 'words')
  writeFileSync(join(folder, 'b.txt'), 'secret')
  const at = await stand(t, [specOf('files', { target: command(filesystem, inside) })])
  at.hub.start()
  await until(() => at.names().includes('files_read_text_file'), 'it is listed', START_MS)
  assert.match(textOf(await at.call('files_read_text_file', { path: join(inside, 'a.txt') })), /words/)
  const refused = await at.call('files_read_text_file', { path: join(folder, 'b.txt') })
  assert.equal(refused.isError, true)
  assert.doesNotMatch(textOf(refused), /secret/)
})

test('server-memory keeps what it is told, over its own death', { timeout }, async (t) => {
  const env = { MEMORY_FILE_PATH: join(temporaryFolder(t), 'memory.jsonl') }
  const at = await stand(t, [specOf('memory', { target: { ...memory, env }, idleMs: 300 })])
  at.hub.start()
  await until(() => at.names().includes('memory_create_entities'), 'it is listed', START_MS)
  await at.call('memory_create_entities', {
    entities: [{ name: 'Ada', entityType: 'person', observations: ['writes'] }],
  })
  await until(() => at.status('memory').status === 'idle')
  assert.match(JSON.stringify(await at.call('memory_read_graph')), /Ada/)
})
