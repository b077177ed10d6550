// What `auto` decides by is reckoned, not counted: it has to come close, and never to less.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureTokens, surfaceCatalog } from '../../bench/tokens.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { bytesPerToken } from '../../src/runtime/ledger/factors.ts'
import { directTokens } from '../../src/runtime/router/shown.ts'

const OVER_MAX = 1.01

test('the tokens of direct lists are reckoned to within a hundredth, and never too few', { timeout: 30_000 }, () => {
  const { direct, lists } = measureTokens()
  const servers = surfaceCatalog().servers.filter(({ derived }) => !derived)
  const reckoned = directTokens(servers, everyone)
  assert.ok(reckoned >= direct && reckoned <= direct * OVER_MAX, `${reckoned} for ${direct}`)
  for (const server of servers) {
    const tokens = lists.find(({ name }) => name === server.id)?.tokens ?? 0
    assert.ok(directTokens([server], everyone) >= tokens, server.id)
  }
  // What nobody measured is taken for the densest that was.
  assert.equal(bytesPerToken('nobody'), Math.min(...lists.map(({ name }) => bytesPerToken(name))))
})
