// The same call answers the same through a mount and through `core`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../src/runtime/catalog.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { activatable } from '../../src/runtime/core/active.ts'
import { createCore } from '../../src/runtime/core/core.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { createToolIndex } from '../../src/search/tool-index.ts'
import { surface } from '../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../fixtures/surface/mutable-source.ts'
import { foreignTools } from '../fixtures/surface/foreign-tools.ts'

const timeout = 30_000
const caller: Caller = { id: 'owner', kind: 'stdio', scopes: 'all' }
const clock = { now: () => 0 }

test('every tool of every server, right and wrong', { timeout }, async () => {
  const source = mutableSource('elsewhere', foreignTools)
  const own = compileCatalog([...surface, foreignServer(source)], {
    clock,
    confirm: 'off',
    router: { makeIndex: createToolIndex },
  })
  const { catalog } = createCore(own, { defaultServer: 'memory' })
  const ask = async (server: string, tool: string, params: unknown) => {
    const outcome = await invoke(catalog, { caller, server, tool, params })
    return JSON.stringify(outcome).replaceAll(/inc_[\w-]+|[\da-f]{8}-[\da-f-]{27}/g, 'INCIDENT')
  }
  const servers = activatable(own.servers)
  for (const { id } of servers) await ask('core', 'crow_activate_server', { server: id })
  let compared = 0
  for (const server of servers) {
    for (const tool of server.usable(caller)) {
      for (const params of [...(tool.declaration.examples ?? []), {}, { no_such_field: 1 }]) {
        assert.equal(await ask('core', tool.publicName, params), await ask(server.id, tool.publicName, params))
        compared += 1
      }
    }
  }
  assert.ok(compared > 2 * 138, String(compared))
  assert.deepEqual(
    catalog.listTools('core', caller).slice(3),
    servers.flatMap(({ id }) => catalog.listTools(id, caller)),
  )
})
