// Who called, as the audit trail tells it: the token, what it is called, and a mark of the session that opens nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { newestAudit } from '../../../src/db/audit-reader.ts'
import { call, modern, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 60_000
const path = '/memory/mcp'

test('a call is told with its token and its session, whichever way it was answered', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const session = await openSession(running, { path })
  const params = { name: 'crow_memory_stats', arguments: {} }
  for (const more of [{}, { _meta: { progressToken: 'p' } }])
    await rpc(running, { path, headers: session.headers, body: call('tools/call', { ...params, ...more }) })
  await rpc(running, { path, ...modern('tools/call', params) })
  await rpc(running, { path, ...modern('tools/call', { name: 'crow_local_sentinelsentinelsentinel', arguments: {} }) })
  await running.app.audit.flush()
  const rows = newestAudit(running.app.database, { server: 'memory' }, 10).toReversed()
  const mark = createHash('sha256').update(session.id).digest('hex').slice(0, 16)
  assert.deepEqual(
    rows.map((row) => [row.tool, row.caller, row.callerKind, row.client, row.session]),
    [
      ['memory_stats', 'local:1', 'local', 'test', mark],
      ['memory_stats', 'local:1', 'local', 'test', mark],
      ['memory_stats', 'local:1', 'local', 'test', null],
      ['[masked]', 'local:1', 'local', 'test', null],
    ],
  )
  assert.ok(!JSON.stringify(rows).includes(session.id))
})

test('a call that its access does not cover is told like any other, whichever way it came', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { secret } = await running.app.tokens.create({ name: 'reader', scopes: ['memory:read'] })
  const { secret: foreign } = await running.app.tokens.create({ name: 'foreign', scopes: ['other'] })
  const to = { port: running.port, token: secret }
  const session = await openSession(to, { path })
  const params = { name: 'crow_store_memory', arguments: { content: 'sentinel' } }
  const inSession = { path, headers: session.headers }
  const statuses = [
    await rpc(to, { path, ...modern('tools/call', params) }),
    await rpc(to, { ...inSession, body: call('tools/call', params) }),
    await rpc(to, { ...inSession, body: [call('tools/list'), call('tools/call', params)] }),
    await rpc({ ...to, token: foreign }, { path, ...modern('tools/call', { name: 'crow_memory_stats' }) }),
    await rpc({ ...to, token: foreign }, { path, ...modern('tools/list') }),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [403, 403, 403, 403, 403])
  await running.app.audit.flush()
  const rows = newestAudit(running.app.database, { server: 'memory' }, 10).toReversed()
  const mark = createHash('sha256').update(session.id).digest('hex').slice(0, 16)
  assert.deepEqual(
    rows.map((row) => [row.tool, row.effect, row.outcome, row.client, row.session]),
    [
      ['store_memory', 'write', 'FORBIDDEN', 'reader', null],
      ['store_memory', 'write', 'FORBIDDEN', 'reader', mark],
      ['store_memory', 'write', 'FORBIDDEN', 'reader', mark],
      ['memory_stats', 'read', 'FORBIDDEN', 'foreign', null],
    ],
  )
  assert.ok(!JSON.stringify(rows).includes('sentinel'))
})
