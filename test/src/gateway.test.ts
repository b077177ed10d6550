// The gateway without a network, and what a closing process still writes.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openGateway, type Gateway } from '../../src/gateway.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { readResource } from '../../src/runtime/read.ts'
import type { Caller, ElicitChannel, ToolContext } from '../../src/runtime/context.ts'
import type { Outcome } from '../../src/runtime/outcome.ts'
import { flushAccess, noteAccess } from '../../src/servers/memory/access.ts'

const owner: Caller = { id: 'owner', kind: 'cli', scopes: 'all' }

const call = async (gateway: Gateway, tool: string, params: object, elicit?: ElicitChannel): Promise<Outcome> =>
  invoke(gateway.catalog, { caller: owner, server: 'memory', tool, params, ...(elicit && { elicit }) })

const textOf = (outcome: Outcome): string =>
  outcome.kind === 'reply' ? JSON.stringify(outcome.reply.content) : assert.fail(outcome.kind)

/** Opens gateways on one new folder, as processes that know nothing of each other do. */
function oneFolder(t: TestContext): () => Promise<Gateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-gateway-'))
  const config = loadConfig({}, { dataDir })
  const opened: Promise<Gateway>[] = []
  t.after(async () => {
    for (const gateway of opened) await (await gateway).close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return () => {
    const gateway = openGateway(config, { longLived: false })
    opened.push(gateway)
    return gateway
  }
}

/** Stores a memory and asks for its deletion. @returns what deletes it */
async function askDeletion(gateway: Gateway): Promise<{ id: number; confirm_token: string }> {
  const stored = textOf(await call(gateway, 'store_memory', { content: 'The bakery closes on Mondays' }))
  const id = Number(/id (\d+)/.exec(stored)?.[1])
  const asked = textOf(await call(gateway, 'delete_memory', { id }))
  return { id, confirm_token: /confirm_token \W+([\w.-]+)/.exec(asked)?.[1] ?? assert.fail(asked) }
}

test('what was shown just before the end is still counted', { timeout: 20_000 }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-gateway-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = loadConfig({}, { dataDir })
  const first = await openGateway(config, { longLived: false })
  t.after(() => first.close())
  await call(first, 'store_memory', { content: 'The bakery closes on Mondays' })
  await call(first, 'search_memories', { query: 'bakery' })
  await first.close()
  const second = await openGateway(config, { longLived: false })
  t.after(() => second.close())
  const count = second.database.sqlite.prepare('SELECT access_count FROM memories').pluck().get()
  assert.equal(count, 1)
})

test('a flush that is under way when the gateway closes is written to its end', { timeout: 20_000 }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-gateway-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const config = loadConfig({}, { dataDir })
  const first = await openGateway(config, { longLived: false })
  t.after(() => first.close())
  const { database: db, clock, log } = first
  const ids = Array.from({ length: 500 }, (_, at) => at + 1)
  const insert = db.sqlite.prepare(
    "INSERT INTO memories (uid, content, created_at, updated_at) VALUES ('u' || ?, 'x', 1, 1)",
  )
  await db.write(() => ids.forEach((id) => insert.run(id)))
  const context: Pick<ToolContext, 'db' | 'clock' | 'log'> = { db, clock, log }
  noteAccess(context, ids)
  const begun = flushAccess(db)
  await first.close()
  await begun
  const second = await openGateway(config, { longLived: false })
  t.after(() => second.close())
  const counted = second.database.sqlite.prepare('SELECT count(*) FROM memories WHERE access_count = 1').pluck().get()
  assert.equal(counted, ids.length)
})

test('what one process asked, another on the folder may confirm, once', { timeout: 20_000 }, async (t) => {
  const open = oneFolder(t)
  const [first, second] = await Promise.all([open(), open()])
  const asked = await askDeletion(first)
  assert.match(textOf(await call(second, 'delete_memory', asked)), /Deleted/)
  await call(second, 'update_memory', { id: asked.id, restore: true })
  const again = await askDeletion(second)
  const both = await Promise.all([first, second].map((gateway) => call(gateway, 'delete_memory', again)))
  const deleted = both.map(textOf).filter((text) => text.includes('Deleted'))
  assert.equal(deleted.length, 1)
})

test(
  'a confirmation outlives the process that asked for it, and stays used after a restart',
  { timeout: 20_000 },
  async (t) => {
    const open = oneFolder(t)
    const first = await open()
    const asked = await askDeletion(first)
    await first.close()
    const second = await open()
    assert.match(textOf(await call(second, 'delete_memory', asked)), /Deleted/)
    const used = second.database.sqlite.prepare('SELECT count(*) FROM spent_confirmations').pluck()
    assert.equal(used.get(), 1)
    await second.close()
    const third = await open()
    assert.match(textOf(await call(third, 'delete_memory', asked)), /NOT_FOUND|CONFIRM_INVALID/)
  },
)

test(
  'what was answered with no in one process cannot be answered with yes in another',
  { timeout: 20_000 },
  async (t) => {
    const open = oneFolder(t)
    const [first, second] = await Promise.all([open(), open()])
    const { id } = await askDeletion(first)
    const answer = (gateway: Gateway, channel: Omit<ElicitChannel, 'supported'>): Promise<Outcome> =>
      call(gateway, 'delete_memory', { id }, { supported: true, ...channel })
    const asked = await answer(first, {})
    const state = asked.kind === 'input-required' ? asked.state : assert.fail(asked.kind)
    assert.match(textOf(await answer(first, { state, responses: { confirm: { action: 'decline' } } })), /CANCELLED/)
    const yes = { confirm: { action: 'accept', content: { confirm: true } } }
    assert.match(textOf(await answer(second, { state, responses: yes })), /CONFIRM_INVALID.*used already/)
  },
)

test(
  'calls are counted where that was asked for, and resources are in the audit trail',
  { timeout: 20_000 },
  async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'crow-gateway-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const config = loadConfig({}, { dataDir })
    const gateway = await openGateway(config, { longLived: false, metrics: true })
    t.after(() => gateway.close())
    await call(gateway, 'memory_stats', {})
    await readResource(gateway.catalog, { caller: owner, server: 'memory', uri: 'crow://context' })
    const series = gateway.metrics?.snapshot().series.map(({ kind, tool, calls }) => [kind, tool, calls])
    assert.deepEqual(series, [
      ['resource', 'crow://context', 1],
      ['tool', 'memory_stats', 1],
    ])
    await gateway.audit.flush()
    const rows = gateway.database.sqlite.prepare('SELECT tool, effect, outcome FROM audit ORDER BY id').raw().all()
    assert.deepEqual(rows, [
      ['memory_stats', 'read', 'ok'],
      ['resource crow://context', 'read', 'ok'],
    ])
    const other = await openGateway(config, { longLived: false })
    t.after(() => other.close())
    assert.equal(other.metrics, undefined)
  },
)

test('two ends of a gateway are one: nobody closes the database under the other', { timeout: 20_000 }, async (t) => {
  const gateway = await oneFolder(t)()
  const { database, searcher } = gateway
  const closeSearcher = searcher.close.bind(searcher)
  const held = Promise.withResolvers<void>()
  const seen: boolean[] = []
  Reflect.set(searcher, 'close', async () => {
    await held.promise
    seen.push(database.sqlite.open)
    await closeSearcher()
  })
  const first = gateway.close()
  const second = gateway.close()
  // Turns enough for a second end that does not wait for the first.
  for (let turn = 0; turn < 500 && database.sqlite.open; turn++) await new Promise((resolve) => setImmediate(resolve))
  held.resolve()
  await Promise.all([first, second, gateway.close()])
  assert.deepEqual([seen, database.sqlite.open], [[true], false])
})
