import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Caller } from '../../../src/runtime/context.ts'
import { defineTool } from '../../../src/runtime/tool.ts'
import { call, codeOf, readTool, serve } from './fixture.ts'

const tools = [
  readTool('look'),
  readTool('change', { effect: 'write' }),
  defineTool({
    name: 'wipe',
    summary: 'Wipes.',
    description: 'Wipes.',
    effect: 'destroy',
    preview: () => ({ text: '?', version: 1 }),
    handle: () => 'wiped',
  }),
]

test(
  'scopes decide by server and effect; nothing is allowed unless said, and the list shows exactly what runs',
  { timeout: 30_000 },
  async () => {
    const scope = fc.constantFrom('shop', 'shop:read', 'shop:write', 'sho', 'shop:', '*', 'all', 'other', 'other:read')
    const kinds = fc.constantFrom<Caller['kind']>('local', 'oauth', 'peer', 'loopback', 'stdio', 'cli')
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant('all' as const), fc.uniqueArray(scope)),
        kinds,
        fc.boolean(),
        async (scopes, kind, peers) => {
          const caller: Caller = { id: 'c', kind, scopes: scopes === 'all' ? 'all' : new Set(scopes) }
          const catalog = serve(tools, { confirm: 'off' }, { peers })
          const full = scopes === 'all' || scopes.includes('shop')
          const reads = full || scopes.includes('shop:read')
          const visible = kind !== 'peer' || peers
          const expected = { look: visible && reads, change: visible && full, wipe: visible && full && kind !== 'peer' }
          const listed = catalog.listTools('shop', caller).map((tool) => tool.name)
          for (const [name, allowed] of Object.entries(expected)) {
            assert.equal(codeOf(await call(catalog, name, {}, { caller })), allowed ? undefined : 'FORBIDDEN', name)
            assert.equal(listed.includes(`crow_${name}`), allowed, name)
          }
          assert.equal(catalog.server('shop')?.toolsListJson(caller), JSON.stringify(catalog.listTools('shop', caller)))
        },
      ),
      { numRuns: 200 },
    )
  },
)
