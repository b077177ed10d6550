// The page about the router shows what the router says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { surfaceCatalog } from '../../bench/tokens.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { invoke } from '../../src/runtime/invoke.ts'
import { ROOT } from '../tidy/source.ts'

test('its line and its reply to a wrong call are real', { timeout: 10_000 }, async () => {
  const page = readFileSync(join(ROOT, 'docs/ROUTER.md'), 'utf8')
  const blocks = [...page.matchAll(/```\n([^`]*)\n```/g)].map(([, block = '']) => block)
  const catalog = surfaceCatalog()
  const [line = '', reply] = blocks
  const listed = await invoke(catalog, {
    caller: everyone,
    server: 'router',
    tool: 'crow_discover',
    params: { category: 'memory' },
  })
  assert.ok(JSON.stringify(listed).includes(line), line)
  const wrong = { caller: everyone, server: 'router', tool: 'crow_memory', params: { action: 'stor_memory' } }
  const outcome = await invoke(catalog, wrong)
  assert.ok(outcome.kind === 'reply')
  const [said] = outcome.reply.content
  assert.equal(said?.type === 'text' ? said.text : '', reply)
})
