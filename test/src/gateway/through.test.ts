// The one connection of a process to the gateway of its data folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processLog } from '../../../src/gateway.ts'
import { Through } from '../../../src/gateway/through.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { scratchFolder } from '../cli/crow.ts'

const timeout = 30_000

test('callers that come together share a connection; after it ended there is a new one', { timeout }, async (t) => {
  const app = await startApp()
  t.after(() => app.close())
  const through = new Through(scratchFolder(t), processLog({ logLevel: 'silent' }))
  t.after(() => through.close())
  const gateway = { pid: process.pid, started: '', address: app.origin, key: app.token }
  const [first, second] = await Promise.all([through.link(gateway), through.link(gateway)])
  assert.equal(first, second)
  await first.close()
  const next = await through.link(gateway)
  assert.notEqual(next, first)
  await through.close()
  assert.equal((await next.closed).wanted, true)
})
