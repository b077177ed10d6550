// GET /health: up, and what is on offer, in numbers that come from the catalog.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Type } from 'typebox'
import { defineServer } from '../../../src/runtime/server.ts'
import { everyone } from '../../../src/runtime/compile-server.ts'
import type { ToolSource } from '../../../src/runtime/source.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { servers } from '../../../src/servers/index.ts'
import type { AppOptions } from '../../../src/app.ts'
import { toolsServer } from '../../../src/upstream/tools-server.ts'
import { externalSource } from '../../fixtures/external/source.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 30_000

async function healthOf(t: TestContext, options: AppOptions = {}) {
  const running = await startApp({}, options)
  t.after(() => running.close())
  const answer = await running.app.inject('/health')
  return { answer, running, health: answer.json() }
}

test('health names the mounted servers and counts what the catalog counts', { timeout }, async (t) => {
  const { answer, running, health } = await healthOf(t)
  const { core, external, total } = running.app.catalog.counts()
  const { length: routerMode } = running.app.catalog.server('router')?.listTools(everyone) ?? []
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(health, {
    status: 'ok',
    servers: [...servers.map(({ id }) => id), 'tools'],
    externalServers: [],
    toolCounts: { core, external, total, routerMode },
  })
  assert.ok(core > 0)
  // One for memory, the foreign ones and discovery.
  assert.equal(routerMode, 3)
})

test('without a router there is no count of its tools', { timeout }, async (t) => {
  const running = await startApp({ CROW_DISABLE_ROUTER: '1' })
  t.after(() => running.close())
  assert.equal((await running.app.inject('/health')).json().toolCounts.routerMode, null)
  assert.equal((await running.app.inject({ method: 'POST', url: '/router/mcp' })).statusCode, 404)
})

test('one more tool is one more in the counts, and nothing about the machine is told', { timeout }, async (t) => {
  const ping = defineTool({
    name: 'ping',
    summary: 'Answers',
    description: 'Answers.',
    input: Type.Object({}),
    effect: 'read',
    handle: () => 'pong',
  })
  const plain = await healthOf(t)
  const { health } = await healthOf(t, {
    servers: [defineServer({ id: 'extra', summary: 'One tool', tools: [ping] })],
  })
  assert.deepEqual(health.servers.toSorted(), ['extra', 'tools', ...servers.map(({ id }) => id)].toSorted())
  assert.equal(health.toolCounts.total, plain.health.toolCounts.total + 1)
  assert.deepEqual(Object.keys(health).toSorted(), ['externalServers', 'servers', 'status', 'toolCounts'])
})

test('a server whose tools others serve is named with how many there are now', { timeout }, async (t) => {
  const names = ['echo', 'ask']
  const source: ToolSource = {
    id: 'far',
    epoch: 1,
    list: () => names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    effect: () => 'read',
    call: () => Promise.resolve({ content: [] }),
  }
  const { health, running } = await healthOf(t, {
    servers: [defineServer({ id: 'extra', title: 'Far away', summary: 'Foreign tools', tools: [], source })],
  })
  assert.deepEqual(health.externalServers, [{ id: 'extra', name: 'Far away', tools: 2, status: 'ready' }])
  assert.equal(health.toolCounts.external, 2)
  assert.deepEqual(running.app.catalog.counts().external, 2)
})

test('external servers are named with their state, and never with what went wrong', { timeout }, async (t) => {
  const source = externalSource()
  const { answer, health } = await healthOf(t, { servers: [toolsServer(source)] })
  assert.deepEqual(health.externalServers, [
    { id: 'github', name: 'GitHub', tools: 2, status: 'ready' },
    { id: 'files', name: 'Files', tools: 8, status: 'backoff' },
  ])
  assert.equal(health.toolCounts.external, 10)
  assert.doesNotMatch(answer.body, /exited|error/i)
})

test('health asks nobody who they are, answers HEAD, and starts no process', { timeout }, async (t) => {
  const { running } = await healthOf(t)
  const before = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
  const head = await fetch(`${running.origin}/health`, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length, before)
})
