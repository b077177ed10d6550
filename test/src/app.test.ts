// The app as a whole: what is put where others find it, and that closing leaves nothing behind.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/lib/log.ts'

const timeout = 30_000

function configOf(t: TestContext, env: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-app-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  return loadConfig({ CROW_DATA_DIR: dataDir, PORT: '0', CROW_LOG_LEVEL: 'silent', ...env })
}

const names = { name: 'crow_memory_stats', arguments: {} }
const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    ...names,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
const headersFor = (secret: string) => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': names.name,
})

test('a token made here opens a mount, the call is in the audit trail, and nothing said is', { timeout }, async (t) => {
  const config = configOf(t)
  const app = await buildApp(config)
  t.after(() => app.close())
  const { id, secret } = await app.tokens.create({ name: 'laptop' })
  const answer = await app.inject({ method: 'POST', url: '/memory/mcp', headers: headersFor(secret), payload: call(1) })
  assert.equal(answer.statusCode, 200, answer.body)
  await app.gateway.audit.flush()
  const rows = app.database.sqlite.prepare('SELECT caller, server, tool, effect, outcome FROM audit ORDER BY id').all()
  assert.deepEqual(rows, [
    { caller: 'cli', server: 'gateway', tool: 'local_token_create', effect: 'access', outcome: 'ok' },
    { caller: `local:${id}`, server: 'memory', tool: 'memory_stats', effect: 'read', outcome: 'ok' },
  ])
})

test('what was audited before closing is on disk after it', { timeout }, async (t) => {
  const config = configOf(t)
  const first = await buildApp(config)
  const { secret } = await first.tokens.create({ name: 'laptop' })
  for (let id = 0; id < 100; id++)
    await first.inject({ method: 'POST', url: '/mcp', headers: headersFor(secret), payload: call(id) })
  await first.close()
  const second = await buildApp(config)
  t.after(() => second.close())
  assert.deepEqual(
    second.database.sqlite.prepare("SELECT count(*) AS calls FROM audit WHERE server = 'memory'").get(),
    { calls: 100 },
  )
  assert.ok((second.tokens.list()[0]?.lastUsedAt ?? 0) > 0)
  const again = await second.inject({ method: 'POST', url: '/mcp', headers: headersFor(secret), payload: call(1) })
  assert.equal(again.statusCode, 200)
})

test('closing ends timers, sockets and the database; a second close is harmless', { timeout }, async (t) => {
  const app = await buildApp(configOf(t))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  await fetch(`http://127.0.0.1:${port}/health`)
  await app.close()
  await app.close()
  assert.equal(app.database.sqlite.open, false)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`))
})

test('a boot that fails half-way leaves no open database behind', { timeout }, async (t) => {
  const config = configOf(t)
  const broken = { name: 'memory' }
  await assert.rejects(
    buildApp(config, { servers: [Object.assign(Object.create(null), { id: 'x', tools: [broken] })] }),
  )
  const app = await buildApp(config)
  t.after(() => app.close())
  assert.equal((await app.inject('/health')).statusCode, 200)
})

test('secrets of a whole conversation are in no log line, no answer and no file in clear', { timeout }, async (t) => {
  const config = configOf(t, { CROW_LOG_LEVEL: 'trace' })
  const lines: string[] = []
  const app = await buildApp(config, { log: createLog({ level: 'trace', write: (line) => void lines.push(line) }) })
  t.after(() => app.close())
  const { secret } = await app.tokens.create({ name: 'laptop' })
  const answers: string[] = []
  const send = async (headers: Record<string, string>, payload: object | string, url = '/mcp'): Promise<void> => {
    const answer = await app.inject({ method: 'POST', url, headers: { ...headersFor(secret), ...headers }, payload })
    answers.push(answer.body, JSON.stringify(answer.headers))
  }
  await send({}, call(1))
  await send({ authorization: `Bearer ${secret}x` }, call(2))
  await send({ authorization: `Basic ${secret}` }, call(3))
  await send({}, `{"${secret}`)
  await send({ host: 'evil.example' }, call(4))
  await send({}, call(5), `/nowhere?token=${secret}`)
  app.log.error(new Error(`with ${secret}`))
  const files = [app.database.path, `${app.database.path}-wal`].map((path) => readFileSync(path, 'latin1'))
  for (const text of [...lines, ...answers, ...files]) assert.ok(!text.includes(secret.slice(11)), text.slice(0, 500))
})
