// The gateway without a network, and what a closing process still writes.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openGateway, type Gateway } from '../../src/gateway.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import type { Caller, ToolContext } from '../../src/runtime/context.ts'
import type { Outcome } from '../../src/runtime/outcome.ts'
import { flushAccess, noteAccess } from '../../src/servers/memory/access.ts'

const owner: Caller = { id: 'owner', kind: 'cli', scopes: 'all' }

const call = async (gateway: Gateway, tool: string, params: object): Promise<Outcome> =>
  invoke(gateway.catalog, { caller: owner, server: 'memory', tool, params })

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
