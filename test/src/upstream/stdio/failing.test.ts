// Servers that never start, never answer, or die: whoever waits is told at once and why, and nothing is left running.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LinkFailure, type Link } from '../../../../src/lib/link.ts'
import { groupLives } from '../../../../src/upstream/process-group.ts'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { until } from '../../../fixtures/until.ts'
import { opened, opening, PATIENCE } from '../../../fixtures/upstream/opened.ts'

const timeout = 30_000

async function failureOf(work: Promise<unknown>): Promise<LinkFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LinkFailure, `not a failure of the link: ${String(error)}`)
  return error
}

function open(command: string, cwd?: string): Promise<Link> {
  return openStdio({ base: {} })(
    { kind: 'stdio', command, args: [], env: {}, ...(cwd === undefined ? {} : { cwd }) },
    {
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 5_000,
      note: () => undefined,
    },
  )
}

function assertGone(starts: readonly Record<string, unknown>[]): void {
  assert.ok(starts.length > 0)
  for (const { pid } of starts) assert.equal(groupLives(Number(pid)), false)
}

test('a server that never answers is given up within its limit, with what it said', { timeout }, async (t) => {
  const began = performance.now()
  const { link, entries } = opening(t, { never: true, stderr: 'still waiting\n' }, { startTimeoutMs: 600 })
  const { end } = await failureOf(link)
  assert.match(end.reason, /did not finish its start within 600 ms/)
  assert.deepEqual(end.stderr, ['still waiting'])
  assert.ok(performance.now() - began < 4_000)
  assertGone(entries('start'))
})

test('a server that ends at its start is reported with its exit code and last words', { timeout }, async (t) => {
  const { link, entries } = opening(t, { exit: { code: 1, stderr: '\u001b[31mERR missing key\u001b[0m' } })
  const { end } = await failureOf(link)
  assert.deepEqual(end, {
    reason: 'It ended with exit code 1.',
    wanted: false,
    exitCode: 1,
    signal: null,
    stderr: ['ERR missing key'],
  })
  assertGone(entries('start'))
})

test('a command that is not there, may not be run or has no folder is named', { timeout }, async () => {
  assert.match((await failureOf(open('/no/such/binary'))).end.reason, /command \/no\/such\/binary was not found/)
  assert.match((await failureOf(open('/etc/passwd'))).end.reason, /may not be run/)
  assert.match((await failureOf(open('/bin/sh', '/no/such/folder'))).end.reason, /folder \/no\/such\/folder/)
  assert.match((await failureOf(open('a\0b'))).end.reason, /zero byte/)
})

async function pendingOf(t: TestContext, given: object): Promise<{ ends: LinkFailure[]; tookMs: number; link: Link }> {
  const { link } = await opened(t, {}, { era: '2025' })
  const waiting = link.request('tools/call', { name: 'never' }, PATIENCE)
  const other = link.request('tools/call', { name: 'slow', arguments: { ms: 9_000 } }, PATIENCE)
  const began = performance.now()
  const dying = link.request('tools/call', { name: 'die', arguments: given }, PATIENCE)
  const ends = await Promise.all([waiting, other, dying].map((each) => failureOf(each)))
  return { ends, tookMs: performance.now() - began, link }
}

test('all calls in flight fail at once when the server is killed', { timeout }, async (t) => {
  const { ends, tookMs, link } = await pendingOf(t, { signal: 'SIGKILL', stderr: 'out of memory' })
  for (const { end } of ends) {
    assert.equal(end.reason, 'It was ended by SIGKILL.')
    assert.equal(end.signal, 'SIGKILL')
    assert.equal(end.wanted, false)
    assert.deepEqual(end.stderr, ['out of memory'])
  }
  assert.ok(tookMs < 1_000, `${tookMs} ms`)
  assert.deepEqual(await link.closed, ends[0]?.end)
  assert.equal(link.pending, 0)
  const { end } = await failureOf(link.request('tools/list', {}, PATIENCE))
  assert.equal(end.signal, 'SIGKILL', 'a dead connection says of what it died')
  link.notify('notifications/roots/list_changed')
})

test('all calls in flight fail at once when the server exits', { timeout }, async (t) => {
  const { ends } = await pendingOf(t, { code: 3 })
  for (const { end } of ends) assert.deepEqual([end.reason, end.exitCode], ['It ended with exit code 3.', 3])
})

test('a start that nobody waits for any more is ended with the reason', { timeout }, async (t) => {
  const leaving = new AbortController()
  const { link, entries } = opening(t, { never: true }, { signal: leaving.signal })
  const reason = new Error('left')
  const refused = assert.rejects(link, (error) => error === reason)
  await until(() => entries('start').length > 0)
  leaving.abort(reason)
  await refused
  assertGone(entries('start'))
  const before = opening(t, {}, { signal: AbortSignal.abort(reason) })
  await assert.rejects(before.link, (error) => error === reason)
  assert.deepEqual(before.entries(), [])
})
