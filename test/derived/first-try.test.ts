// A model that sees only what the router lists gets its call right the first time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog } from '../../src/runtime/catalog.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { createToolIndex } from '../../src/search/tool-index.ts'
import { callOf, readActions, seeded } from '../fixtures/notation.ts'
import { surface } from '../fixtures/surface/index.ts'

const CALLS = 20

test('calls made from the list alone pass validation, whatever is left out', { timeout: 60_000 }, async (t) => {
  const catalog = compileCatalog(surface, {
    availableNeeds: ['blobs'],
    confirm: 'off',
    router: { makeIndex: createToolIndex },
  })
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  t.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  const actions = readActions(catalog.listTools('router', everyone))
  assert.equal(actions.length, catalog.counts().core)
  const failures: string[] = []
  for (const listed of actions) {
    for (let call = 0; call < CALLS; call++) {
      const params = callOf(listed, random)
      const { tool, action } = listed
      const outcome = await invoke(catalog, { caller: everyone, server: 'router', tool, params: { action, params } })
      const text = outcome.kind === 'reply' ? JSON.stringify(outcome.reply.content) : outcome.kind
      if (/VALIDATION_ERROR|MISSING_|DISCRIMINATOR|UNKNOWN_ACTION|unknown-tool/.test(text))
        failures.push(`${action} ${JSON.stringify(params)}: ${text}`)
    }
  }
  assert.deepEqual(failures.slice(0, 5), [])
})
