// Children that close a pipe, go on without one, or die of a question; and handlers that fail.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LinkFailure, type Link, type LinkHandlers } from '../../../../src/lib/link.ts'
import { objectOf } from '../../../../src/lib/json.ts'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { FAKE_SERVER } from '../../../fixtures/upstream/fake-record.ts'
import { callText, opened, PATIENCE } from '../../../fixtures/upstream/opened.ts'

const timeout = 30_000

/** A server behind a shell. `$NODE` and `$FAKE` stand for the scripted one. */
function behind(script: string): Promise<Link> {
  const base = { PATH: process.env['PATH'] ?? '', NODE: process.execPath, FAKE: FAKE_SERVER }
  return openStdio({ base })(
    { kind: 'stdio', command: 'sh', args: ['-c', script], env: {} },
    {
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 5_000,
      note: () => undefined,
    },
  )
}

const failsWith = (work: Promise<unknown>, reason: RegExp): Promise<void> =>
  assert.rejects(work, (error) => error instanceof LinkFailure && reason.test(error.end.reason))

test('a child that closes a pipe and lives on is no connection', { timeout }, async () => {
  const began = performance.now()
  await failsWith(behind('exec >&-; sleep 100'), /closed its standard output/)
  await failsWith(behind('exec <&-; sleep 100'), /closed its standard input/)
  assert.ok(performance.now() - began < 4_000)
})

test('a child that closes its standard error goes on', { timeout }, async (t) => {
  const link = await behind('exec 2>&-; exec "$NODE" "$FAKE"')
  t.after(() => link.close())
  assert.equal(await callText(link, 'echo', { message: 'a' }), 'Echo: a')
})

test('the last answer of a child that ends right after it is heard', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2025' })
  assert.equal((await callText(link, 'last', { bytes: 4 << 20 })).length, 4 << 20)
  assert.equal((await link.closed).exitCode, 0)
})

test('a server that dies of the unknown question by a signal is started once more', { timeout }, async (t) => {
  const script =
    'read -r line; case "$line" in *discover*) kill -SEGV $$;; esac; echo "$line" >/dev/null; sleep 0.1; exit 3'
  await failsWith(behind(script), /exit code 3/)
  t.diagnostic('the second start was asked as of old, and ended otherwise')
})

async function answerOf(t: TestContext, onRequest: LinkHandlers['onRequest']): Promise<unknown> {
  const { link } = await opened(t, {}, { era: '2025', onRequest })
  const { structuredContent } = await link.request('tools/call', { name: 'ask' }, PATIENCE)
  assert.equal(await callText(link, 'echo'), 'Echo: ')
  return objectOf(structuredContent)['answers']
}

test('a handler that fails in whatever way answers with an error', { timeout }, async (t) => {
  const failed = [{ error: { code: -32603, message: 'Internal error' } }]
  const cyclic: Record<string, unknown> = {}
  cyclic['itself'] = cyclic
  assert.deepEqual(await answerOf(t, () => Promise.reject(new Error('detail'))), failed)
  assert.deepEqual(await answerOf(t, () => Promise.resolve(cyclic)), failed)
  assert.deepEqual(
    await answerOf(t, () => {
      throw new Error('at once')
    }),
    failed,
  )
})

test('parameters that are no JSON fail their own call only', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2026' })
  await assert.rejects(link.request('tools/call', { name: 'echo', arguments: 1n }, PATIENCE), TypeError)
  assert.equal(link.pending, 0)
  assert.equal(await callText(link, 'echo'), 'Echo: ')
})
