// What another instance may reach: the servers that were exposed to peers, and nothing else. Everybody else passes.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { peerGate } from '../../../plugins/doors/peer-gate.ts'
import { compileCatalog } from '../../../src/runtime/catalog.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { defineServer } from '../../../src/runtime/server.ts'

const timeout = 10_000

/** The gate alone, behind a door that lets everybody in as `caller`. */
async function gate(t: TestContext, caller: Caller) {
  const app = Fastify()
  t.after(() => app.close())
  const servers = [
    defineServer({ id: 'open', summary: 'Open.', tools: [], peers: true }),
    defineServer({ id: 'shut', summary: 'Shut.', tools: [] }),
  ]
  const ground = fp(async (scope) => void scope.decorate('catalog', compileCatalog(servers)), {
    name: 'ground/gateway',
  })
  const door = fp(
    async (scope) => {
      scope.decorateRequest('caller')
      scope.addHook('onRequest', async (request) => void (request.caller = caller))
    },
    { name: 'doors/caller' },
  )
  await app.register(ground)
  await app.register(door)
  await app.register(peerGate.plugin)
  for (const server of ['open', 'shut', 'gone']) app.get(`/${server}`, { config: { server } }, async () => 'in')
  app.get('/nothing', async () => 'in')
  return async (path: string): Promise<{ status: number; body: string }> => {
    const { statusCode, body } = await app.inject(path)
    return { status: statusCode, body }
  }
}

test('a peer reaches what is exposed to peers, and nothing that nobody named', { timeout }, async (t) => {
  const ask = await gate(t, { id: 'peer:1', kind: 'peer', scopes: 'all' })
  assert.equal((await ask('/open')).status, 200)
  for (const path of ['/shut', '/gone', '/nothing']) {
    const { body } = await ask(path)
    assert.match(body, /PEER_NOT_EXPOSED/, path)
    assert.doesNotMatch(body, /^in$/)
  }
})

test('nobody else notices the gate', { timeout }, async (t) => {
  for (const kind of ['local', 'oauth', 'loopback'] as const) {
    const ask = await gate(t, { id: 'x', kind, scopes: 'all' })
    for (const path of ['/open', '/shut', '/nothing']) assert.equal((await ask(path)).status, 200, `${kind} ${path}`)
  }
})
