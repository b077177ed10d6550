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

test(
  'the project of the command line, else of the environment, decides what a client is told',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    const free = { CROW_CONTEXT_WRITES: 'free' }
    for (const project of [7, 8]) {
      const names = ['--section-key', 'identity', '--section-title', 'Who', '--content', `digs at site ${project}`]
      const args = ['call', 'memory', 'add_context_section', ...names, '--project-id', String(project)]
      assert.equal((await crow({ home, env: free }, args)).status, 0)
    }
    const told = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
      const clientInfo = { name: 'test', version: '1' }
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      return (await crow({ home, env }, ['stdio', 'memory', ...args], `${hello}\n`)).out
    }
    assert.doesNotMatch(await told({}), /digs/)
    assert.match(await told({ CROW_PROJECT_ID: '7' }), /Who: digs at site 7/)
    assert.match(await told({ CROW_PROJECT_ID: '7' }, '--project', '8'), /Who: digs at site 8/)
    assert.match((await crow({ home }, ['stdio', 'memory', '--project', '0'])).err, /project/)
    const refused = await crow({ home, env: { CROW_PROJECT_ID: 'x' } }, ['stdio', 'memory'])
    assert.equal(refused.status, 78)
    assert.match(refused.err, /CROW_PROJECT_ID must be a whole number/)
  },
)
