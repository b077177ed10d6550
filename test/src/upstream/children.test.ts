// What a gateway that was killed leaves running is ended by the next one, and nobody else is.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { childRegister, endOrphans } from '../../../src/upstream/children.ts'
import { createFolder } from '../../../src/lib/folder.ts'
import { bootId, groupLives, memberOf } from '../../../src/upstream/process-group.ts'
import { recorded } from '../../fixtures/upstream/fake-record.ts'
import { folderOf, opened } from '../../fixtures/upstream/opened.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 60_000
const HOLDER = fileURLToPath(new URL('children-holder.ts', import.meta.url))
const STUBBORN = { ignore: ['SIGTERM', 'SIGHUP', 'end'], grandchild: true }

const recordsIn = (dataDir: string): string[] => readdirSync(join(dataDir, 'run', 'children'))

/** Something that lives in a group of its own until the test ends. */
async function bystander(t: TestContext): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  return Number(child.pid)
}

function put(dataDir: string, group: number, record: object): void {
  createFolder(join(dataDir, 'run', 'children'))
  writeFileSync(join(dataDir, 'run', 'children', `${group}.json`), JSON.stringify({ group, command: 'x', ...record }))
}

test('the children of a killed process are ended at the next start, with theirs', { timeout }, async (t) => {
  const dataDir = folderOf(t)
  const records = [join(dataDir, 'a.jsonl'), join(dataDir, 'b.jsonl')]
  const scripts = records.map((record) => JSON.stringify({ ...STUBBORN, record }))
  const holder = spawn(process.execPath, [HOLDER, dataDir, ...scripts], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await until(() => recordsIn(dataDir).filter((name) => name.endsWith('.json')).length === 2)
  assert.deepEqual(await endOrphans(dataDir), [], 'while it lives, its children are its own')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const groups = records.map((record) => Number(recorded(record, 'start')[0]?.['pid']))
  for (const group of groups) assert.equal(groupLives(group), true)
  const orphans = await endOrphans(dataDir)
  assert.deepEqual(new Set(orphans.map(({ group }) => group)), new Set(groups))
  assert.ok(orphans.every(({ ended }) => ended))
  for (const group of groups) assert.equal(groupLives(group), false)
  assert.deepEqual(recordsIn(dataDir), [])
  assert.deepEqual(await endOrphans(dataDir), [])
})

test(
  'a child is recorded while it lives, for nobody else to read, and its arguments are not',
  { timeout },
  async (t) => {
    const dataDir = folderOf(t)
    const problems: Error[] = []
    const register = childRegister(dataDir, (error) => problems.push(error))
    const { link } = await opened(t, { instructions: 'secret-argument' }, { settings: { register } })
    const [name = ''] = recordsIn(dataDir)
    const file = join(dataDir, 'run', 'children', name)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(readFileSync(file, 'utf8').includes('secret-argument'), false)
    await link.close()
    assert.deepEqual(recordsIn(dataDir), [])
    assert.deepEqual(problems, [])
  },
)

test('a number that belongs to another process by now is never touched', { timeout }, async (t) => {
  const dataDir = folderOf(t)
  const pid = await bystander(t)
  const itself = await memberOf(pid)
  const owner = { pid: 4_194_303, started: '1' }
  assert.ok(itself !== undefined)
  const reused = { boot: bootId(), owner, members: [{ pid, started: `${itself.started}0` }] }
  for (const record of [
    reused,
    { ...reused, members: [] },
    { ...reused, members: [itself], boot: 'another start of the machine' },
    { ...reused, members: [itself], owner: await memberOf(process.pid) },
    { ...reused, members: 'none' },
    { members: [itself] },
  ]) {
    put(dataDir, pid, record)
    assert.deepEqual(await endOrphans(dataDir), [])
    assert.equal(groupLives(pid), true)
  }
  put(dataDir, 1, { ...reused, group: 1, members: [await memberOf(1)] })
  writeFileSync(join(dataDir, 'run', 'children', 'torn.json'), '{"group":')
  assert.deepEqual(await endOrphans(dataDir), [])
  put(dataDir, pid, { ...reused, members: [itself] })
  assert.deepEqual(await endOrphans(dataDir), [{ group: pid, command: 'x', ended: true }])
  assert.equal(groupLives(pid), false)
})

test('a record that cannot be written is said, and costs nothing else', { timeout }, async (t) => {
  const dataDir = folderOf(t)
  writeFileSync(join(dataDir, 'run'), 'a file in the way')
  const problems: Error[] = []
  const { link } = await opened(
    t,
    {},
    { settings: { register: childRegister(dataDir, (error) => problems.push(error)) } },
  )
  await link.close()
  assert.ok(problems.length > 0)
})
