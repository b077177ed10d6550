// Who lives of a group, and how all of them are ended.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { endGroup, groupLives, groupMembers, memberOf, signalTo } from '../../../src/upstream/process-group.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 30_000

/** A shell that leads a group, and the first line it writes. */
async function shell(t: TestContext, script: string): Promise<{ pid: number; line: string }> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  const [line]: unknown[] = await once(child.stdout, 'data')
  return { pid: Number(child.pid), line: String(line).trim() }
}

test('a group lives for as long as any of it does', { timeout }, async (t) => {
  const { pid, line } = await shell(t, 'sleep 100 & echo $!; exec sleep 100')
  const member = Number(line)
  const pids = (await groupMembers(pid)).map((each) => each.pid)
  assert.deepEqual(new Set(pids), new Set([pid, member]))
  signalTo(pid, 'SIGKILL')
  await until(() => groupLives(pid))
  assert.equal(await endGroup(pid), true)
  assert.equal(groupLives(pid), false)
  assert.equal(await endGroup(pid), true)
})

test('a dead one that nobody has asked after is nobody', { timeout }, async (t) => {
  const { line } = await shell(t, 'timeout 0.01 sleep 100 & echo $!; exec sleep 100')
  const group = Number(line)
  await until(() => / Z /.test(readFileSync(`/proc/${group}/stat`, 'utf8')))
  assert.equal(signalTo(-group, 0), true, 'the system still knows the group')
  assert.equal(groupLives(group), false)
  assert.deepEqual(await groupMembers(group), [])
  assert.equal(await memberOf(group), undefined)
})

test('a process is told from a later one by its start; elsewhere than on Linux by ps', { timeout }, async (t) => {
  const { pid } = await shell(t, 'echo up; exec sleep 100')
  for (const platform of ['linux', 'darwin'] as const) {
    const member = await memberOf(pid, platform)
    assert.equal(member?.pid, pid)
    assert.ok((member?.started ?? '') !== '')
    assert.deepEqual(await groupMembers(pid, platform), [member])
    assert.deepEqual(await memberOf(pid, platform), member)
    assert.equal(await memberOf(4_194_303, platform), undefined)
  }
  assert.equal(signalTo(4_194_303, 0), false)
})
