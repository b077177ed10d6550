// Servers of others, and of ourselves: what they are built with is not what this link is built with.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type TestContext } from 'node:test'
import type { Era, Link } from '../../../../src/lib/link.ts'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { callText, folderOf, PATIENCE } from '../../../fixtures/upstream/opened.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 60_000
const bin = (name: string): string => fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url))
const WIRE = fileURLToPath(new URL('../../../fixtures/stdio-wire.ts', import.meta.url))

interface Other {
  readonly link: Link
  readonly told: string[]
}

async function other(
  t: TestContext,
  command: string,
  args: readonly string[],
  { era, env = {} }: { readonly era?: Era | undefined; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Other> {
  const told: string[] = []
  const link = await openStdio({ base: { PATH: process.env['PATH'] ?? '' } })(
    { kind: 'stdio', command, args, env },
    {
      handlers: {
        onNotification: (method) => told.push(method),
        onRequest: () => Promise.resolve({ action: 'accept', content: {} }),
      },
      capabilities: { elicitation: {}, sampling: {} },
      startTimeoutMs: 30_000,
      note: () => undefined,
      ...(era === undefined ? {} : { era }),
    },
  )
  t.after(() => link.close())
  return { link, told }
}

test('the reference server, which knows sessions only, is listed, called, heard and ended', { timeout }, async (t) => {
  const { link } = await other(t, bin('mcp-server-everything'), ['stdio'])
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

test('servers of files and of a graph do their work in the folder they are given', { timeout }, async (t) => {
  const folder = folderOf(t)
  const files = await other(t, bin('mcp-server-filesystem'), [folder])
  await callText(files.link, 'write_file', { path: join(folder, 'a.txt'), content: 'ä\n' })
  assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'ä\n')
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
  const graph = await other(t, bin('mcp-server-memory'), [], { env })
  const entities = [{ name: 'crow', entityType: 'bird', observations: ['is clever'] }]
  await callText(graph.link, 'create_entities', { entities })
  assert.match(readFileSync(env.MEMORY_FILE_PATH, 'utf8'), /is clever/)
})

test('a server that decides with the first request is decided for what it can', { timeout }, async (t) => {
  const cases = [
    ['2025', undefined, '2025'],
    ['2026', undefined, '2026'],
    ['both', undefined, '2026'],
    ['both', '2025', '2025'],
    ['2026', '2025', '2026'],
    ['2025', '2026', '2025'],
  ] as const
  for (const [spoken, known, expected] of cases) {
    const { link, told } = await other(t, process.execPath, [WIRE, spoken], { era: known })
    assert.equal(link.peer.era, expected, `${spoken}, known as ${known ?? 'nothing'}`)
    assert.equal(link.peer.instructions, 'Use echo.')
    assert.equal(await callText(link, 'echo', { text: 'hi', times: 2 }), 'hihi')
    await link.request('resources/subscribe', { uri: 'wire://note' }, PATIENCE)
    await callText(link, 'change')
    await until(() => told.includes('notifications/resources/updated'))
    const heard: unknown[] = []
    const leaving = new AbortController()
    const waiting = link.request(
      'tools/call',
      { name: 'wait', arguments: { name: 'a' } },
      { ...PATIENCE, signal: leaving.signal, onProgress: ({ message }) => heard.push(message) },
    )
    await until(() => heard.length === 1)
    leaving.abort(new Error('left'))
    await assert.rejects(waiting, /left/)
    await link.close()
  }
})
