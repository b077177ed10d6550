// Several processes write memories into one folder, and one of them is killed: nothing acknowledged is lost, nothing is half done.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../db/temporary.ts'
import { round } from './fixtures/writer.ts'
import { memoryRoom, type Room } from './room.ts'

const timeout = 90_000
const program = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url))

/** Starts one of our programs as this process was started, but not as a test. */
function start(name: string, ...args: string[]) {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--test'))
  return spawn(process.execPath, [...flags, program(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** What is stored, by id; deleted rows are absent. */
function contents(room: Room): Map<number, string> {
  const rows = room.db.sqlite.prepare<[], { id: number; content: string }>(
    'SELECT id, content FROM memories WHERE deleted_at IS NULL',
  )
  return new Map(rows.all().map((row) => [row.id, row.content]))
}

/** Each acknowledged line against the rows: a later call that was never acknowledged may have happened, but only as a whole. */
function assertKept(lines: readonly string[], stored: ReadonlyMap<number, string>): void {
  const final = new Map(
    lines.map((line) => {
      const [sign = '', id = '', ...text] = line.split(' ')
      return [Number(id), { sign, text: text.join(' ') }]
    }),
  )
  for (const [id, { sign, text }] of final) {
    const found = stored.get(id)
    if (sign === '-') assert.equal(found, undefined)
    else if (sign === '~') assert.equal(found, text)
    else assert.ok(found === undefined || found === text || found === `corrected ${text}`, `${id} ${found}`)
  }
}

test('two processes write at once, one is killed, and all that was acknowledged is there', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const room = await memoryRoom(t, { dataDir })
  const child = start('writer', dataDir, 'child', '1000')
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const theirs: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    theirs.push(line)
    if (theirs.length === 120) child.kill('SIGKILL')
  })
  const ours: string[] = []
  let ids: readonly number[] = []
  for (let number = 0; number < 6 || (theirs.length < 120 && number < 200); number += 1) {
    ids = await round(room, 'parent', number, ids, (line) => ours.push(line))
  }
  const [, signal] = await ended
  assert.equal(signal, 'SIGKILL')
  await room.close()

  const again = await memoryRoom(t, { dataDir })
  assertKept([...ours, ...theirs], contents(again))
  assert.deepEqual(again.indexProblems(), [])
  assert.equal(again.db.sqlite.pragma('integrity_check', { simple: true }), 'ok')
  await round(again, 'later', 0, [], (line) => ours.push(line))
})

test('four processes on one folder fire each due schedule exactly once', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const room = await memoryRoom(t, { dataDir })
  await room.db.write(({ sqlite }) => {
    const insert = sqlite.prepare(
      "INSERT INTO schedules (task, cron_expression, next_run_at, created_at, updated_at) VALUES (?, '0 0 1 1 *', ?, 1, 1)",
    )
    for (let index = 0; index < 500; index += 1) insert.run(`task ${index}`, 60_000 * (index + 1))
  })
  const children = Array.from({ length: 4 }, () => start('ticker', dataDir, '30'))
  t.after(() => children.forEach((child) => child.kill('SIGKILL')))
  const exits = await Promise.all(children.map((child) => once(child, 'exit')))
  assert.deepEqual(
    exits.map(([code]) => code),
    [0, 0, 0, 0],
  )
  const fired = room.db.sqlite.prepare<[], { schedules: number; rows: number }>(
    'SELECT count(DISTINCT schedule_id) AS schedules, count(*) AS rows FROM notifications',
  )
  assert.deepEqual(fired.get(), { schedules: 500, rows: 500 })
})
