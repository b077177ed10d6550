// The end of a connection: nobody of what was started for it lives, and nothing of it is held.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openStdio } from '../../../../src/upstream/stdio/open.ts'
import { LinkFailure, type Link } from '../../../../src/lib/link.ts'
import { groupLives, signalTo } from '../../../../src/upstream/process-group.ts'
import { FAKE_SERVER } from '../../../fixtures/upstream/fake-record.ts'
import { callText, opened, PATIENCE } from '../../../fixtures/upstream/opened.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 60_000
const STUBBORN = { ignore: ['SIGTERM', 'SIGHUP', 'end'] }

/** Of a process that was started for a test; a zombie lives no more. */
function lives(pid: unknown): boolean {
  assert.equal(typeof pid, 'number')
  if (!signalTo(Number(pid), 0)) return false
  return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${Number(pid)}/stat`, 'utf8'))
}

async function tookToClose(link: Link): Promise<number> {
  const began = performance.now()
  await Promise.all([link.close(), link.close()])
  return performance.now() - began
}

test('a server that obeys the end of its input is not signalled', { timeout }, async (t) => {
  const { link, entries } = await opened(t, {}, { era: '2025' })
  const waiting = assert.rejects(link.request('tools/call', { name: 'never' }, PATIENCE), /It was stopped/)
  assert.ok((await tookToClose(link)) < 450)
  await waiting
  await assert.rejects(link.request('tools/list', {}, PATIENCE), /It was stopped/)
  const end = await link.closed
  assert.deepEqual([end.wanted, end.exitCode, end.signal], [true, 0, null])
  assert.deepEqual(entries('signal'), [])
  assert.equal(entries('end').length, 1)
  assert.equal(lives(entries('start')[0]?.['pid']), false)
})

test('a server that obeys a signal only gets one, after a grace', { timeout }, async (t) => {
  const { link, entries } = await opened(t, { ignore: ['end'] }, { era: '2025' })
  const closing = tookToClose(link)
  await assert.rejects(link.request('tools/list', {}, PATIENCE), (error) => {
    return error instanceof LinkFailure && error.end.wanted && error.end.unheard === true
  })
  assert.deepEqual(entries('end'), [], 'refused at once')
  const ms = await closing
  assert.ok(ms >= 450 && ms < 1_800, `${ms} ms`)
  assert.deepEqual(entries('signal'), [{ kind: 'signal', signal: 'SIGTERM' }])
})

test('a server that obeys nothing is killed, with its children', { timeout }, async (t) => {
  const { link, entries } = await opened(t, { ...STUBBORN, grandchild: true }, { era: '2025' })
  const [start] = entries('start')
  const [grandchild] = entries('grandchild')
  await until(() => lives(grandchild?.['pid']))
  const ms = await tookToClose(link)
  assert.ok(ms < 5_000, `${ms} ms`)
  assert.equal((await link.closed).signal, 'SIGKILL')
  assert.equal(lives(start?.['pid']), false)
  assert.equal(lives(grandchild?.['pid']), false)
})

/** Behind a shell that stays, and beside a program that gives itself a group of its own. */
async function behindShell(script: string): Promise<{ link: Link; pid: unknown }> {
  const open = openStdio({ base: { PATH: process.env['PATH'] ?? '', NODE: process.execPath, FAKE: FAKE_SERVER } })
  const link = await open(
    { kind: 'stdio', command: 'sh', args: ['-c', script], env: { SCRIPT: JSON.stringify(STUBBORN) } },
    {
      era: '2025',
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 10_000,
      note: () => undefined,
    },
  )
  return { link, pid: Number(await callText(link, 'pid')) }
}

test('a server behind a shell ends with it, and so does what the shell started beside', { timeout }, async (t) => {
  for (const script of [
    '"$NODE" "$FAKE" "$SCRIPT"; exit 1',
    'timeout 104730 sleep 104729 </dev/null >/dev/null 2>&1 & "$NODE" "$FAKE" "$SCRIPT"; exit 1',
  ]) {
    const { link, pid } = await behindShell(script)
    t.after(() => link.close())
    assert.equal(lives(pid), true)
    await link.close()
    assert.equal(lives(pid), false, script)
    const sleeping = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && commandOf(name).startsWith('sleep\u0000104729'),
    )
    assert.deepEqual(sleeping, [])
  }
})

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

test('what a server leaves behind when it dies by itself is ended too', { timeout }, async (t) => {
  const { link, entries } = await opened(t, { grandchild: true }, { era: '2025' })
  const [grandchild] = entries('grandchild')
  await until(() => lives(grandchild?.['pid']))
  await assert.rejects(link.request('tools/call', { name: 'die', arguments: { code: 0 } }, PATIENCE), /exit code 0/)
  const end = await link.closed
  assert.deepEqual([end.wanted, end.exitCode], [false, 0])
  await link.close()
  assert.equal(lives(grandchild?.['pid']), false)
})

const descriptors = (): number => readdirSync('/proc/self/fd').length

function zombies(): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    const stat = statOf(name)
    return stat.includes(` Z ${process.pid} `)
  })
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

test('fifty connections later no descriptor, timer or zombie is left', { timeout }, async (t) => {
  const round = async (at: number): Promise<void> => {
    const { link, entries } = await opened(t, at % 2 === 0 ? {} : { era: '2026' })
    await callText(link, 'echo')
    if (at % 5 === 0)
      await link.request('tools/call', { name: 'die' }, PATIENCE).catch((error: unknown) => assert.ok(error))
    await link.close()
    for (const { pid } of entries('start')) assert.equal(groupLives(Number(pid)), false)
  }
  await round(0)
  const before = { descriptors: descriptors(), resources: process.getActiveResourcesInfo().length }
  for (let at = 1; at <= 48; at += 2) await Promise.all([round(at), round(at + 1)])
  await until(() => process.getActiveResourcesInfo().length <= before.resources, 'resources are let go')
  assert.equal(descriptors(), before.descriptors)
  assert.deepEqual(zombies(), [])
})
