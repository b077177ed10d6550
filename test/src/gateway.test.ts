// The gateway without a network, and what a closing process still writes.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openGateway, type Gateway } from '../../src/gateway.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import type { Caller } from '../../src/runtime/context.ts'
import type { Outcome } from '../../src/runtime/outcome.ts'

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
