// `crow audit`: the trail of a data folder, for people and for programs.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAuditLog } from '../../../src/db/audit.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { crow, crowArguments, scratchFolder } from './crow.ts'

const timeout = 90_000

test(
  'calls and what happens to tokens are in the trail, newest first, without a word that was said',
  { timeout },
  async (t) => {
    const home = scratchFolder(t)
    await crow({ home }, ['token', 'create', 'laptop'])
    await crow({ home }, ['call', 'memory', 'store_memory', '--content', 'sentinel sentence'])
    await crow({ home }, ['call', 'memory', 'get_memory', '--id', '77'])
    const run = await crow({ home }, ['audit', '--json', '--since', '1h'])
    assert.equal(run.status, 0, run.err)
    const rows: Record<string, unknown>[] = run.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      rows.map(({ server, tool, outcome, callerKind, subject }) => [server, tool, outcome, callerKind, subject]),
      [
        ['memory', 'get_memory', 'NOT_FOUND', 'cli', null],
        ['memory', 'store_memory', 'ok', 'cli', null],
        ['gateway', 'local_token_create', 'ok', 'cli', 'local:1'],
      ],
    )
    assert.match(String(rows[0]?.['at']), /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.doesNotMatch(run.out, /sentinel|crow_local_/)
    const failed = await crow({ home }, ['audit', '--outcome', 'failed', '--limit', '5'])
    assert.match(failed.out, /^when +who/)
    assert.match(failed.out, /memory\.get_memory/)
    assert.doesNotMatch(failed.out, /store_memory/)
    assert.match((await crow({ home }, ['audit', '--tool', 'nothing'])).out, /nothing like this/)
    assert.equal((await crow({ home }, ['audit', '--since', 'yesterday'])).status, 2)
  },
)

test('a name that a client chose cannot write to the terminal of whoever reads the trail', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const db = await openDatabase({ dataDir: join(home, 'data') })
  const trail = createAuditLog(db, { warn: () => undefined }, { now: Date.now })
  trail.access({ event: 'client_register', outcome: 'ok', client: '\u{1b}[2Jgone\u{202e}\u{9b}2J\nforged row' })
  await trail.close()
  await db.close()
  const shown = await crow({ home }, ['audit', '--data-dir', join(home, 'data')])
  assert.match(shown.out, /gone/)
  const forPrograms = await crow({ home }, ['audit', '--json', '--data-dir', join(home, 'data')])
  for (const { out } of [shown, forPrograms])
    for (const control of ['\u{1b}', '\u{202e}', '\u{9b}']) assert.ok(!out.includes(control))
  assert.equal(shown.out.trim().split('\n').length, 2)
  assert.equal(JSON.parse(forPrograms.out).client, '\u{1b}[2Jgone\u{202e}\u{9b}2J\nforged row')
})

test('a follower shows what other processes add, and ends at the first signal', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['token', 'create', 'laptop'])
  const child = spawn(process.execPath, crowArguments('audit', '--follow', '--json'), {
    env: { HOME: home, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Record<string, unknown>> => JSON.parse((await lines.next()).value ?? '{}')
  assert.equal((await next())['tool'], 'local_token_create')
  await crow({ home }, ['token', 'revoke', 'laptop'])
  assert.equal((await next())['tool'], 'local_token_revoke')
  child.kill('SIGINT')
  await closed
  assert.equal(child.exitCode, 0)
})
