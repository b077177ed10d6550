// What `crow stdio` says before it serves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

test('core with a default server that is not there is refused in one sentence', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const refused = await crow({ home, env: { CROW_DEFAULT_SERVER: 'memroy' } }, ['stdio', 'core'])
  assert.equal(refused.status, 78)
  assert.equal(refused.out, '')
  assert.match(
    refused.err,
    /^crow: CROW_DEFAULT_SERVER: There is no server "memroy"\. Did you mean memory\? Servers: memory\.\n$/,
  )
  const derived = await crow({ home, env: { CROW_DEFAULT_SERVER: 'router' } }, ['stdio', 'core'])
  assert.equal(derived.status, 78)
  const other = await crow({ home, env: { CROW_DEFAULT_SERVER: 'memroy' } }, ['stdio', 'memory'])
  assert.equal(other.status, 0, 'nobody else asks for it')
})

test('core is no server of the gateway: only stdio knows it', { timeout }, async (t) => {
  const home = scratchFolder(t)
  for (const args of [
    ['tools', 'core'],
    ['call', 'core', 'server_status'],
  ]) {
    const run = await crow({ home }, args)
    assert.equal(run.status, 2, args.join(' '))
    assert.match(run.err, /there is no server "core"/)
  }
  assert.match((await crow({ home }, ['stdio', 'cor'])).err, /did you mean core\? Servers: memory, router, core\./)
})
