// The reference server of the protocol's own project, which speaks with sessions only.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { callText, PATIENCE } from '../../../fixtures/upstream/opened.ts'

const timeout = 60_000
const COMMAND = fileURLToPath(new URL('../../../../node_modules/.bin/mcp-server-everything', import.meta.url))

test('the reference server is opened, listed, called, heard and ended', { timeout }, async (t) => {
  const told: string[] = []
  const open = openStdio({ base: { PATH: process.env['PATH'] ?? '' } })
  const link = await open(
    { kind: 'stdio', command: COMMAND, args: ['stdio'], env: {} },
    {
      handlers: {
        onNotification: (method) => told.push(method),
        onRequest: () => Promise.resolve({ action: 'accept', content: {} }),
      },
      capabilities: { elicitation: {}, sampling: {} },
      startTimeoutMs: 30_000,
      note: () => undefined,
    },
  )
  t.after(() => link.close())
  assert.equal(link.peer.era, '2025')
  assert.match(link.peer.name, /everything/)
  const { tools } = await link.request('tools/list', {}, PATIENCE)
  assert.ok(Array.isArray(tools) && tools.length > 5)
  assert.equal(await callText(link, 'echo', { message: 'hello' }), 'Echo: hello')
  const progress: unknown[] = []
  const params = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } }
  await link.request('tools/call', params, { ...PATIENCE, onProgress: (each) => progress.push(each['progress']) })
  assert.deepEqual(progress, [1, 2, 3, 4])
  await link.close()
  assert.equal((await link.closed).wanted, true)
})
