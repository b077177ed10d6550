// Claude Desktop starts `crow stdio memory` whenever it likes, beside a gateway and beside commands.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { crow, crowArguments, scratchFolder, serve } from './crow.ts'

const timeout = 120_000
const ROUNDS = 4

/** `crow stdio memory`, asked to initialise, to store one memory, and to end. @returns its exit code */
async function overStdio(home: string, content: string): Promise<number | null> {
  const child = spawn(process.execPath, crowArguments('stdio', 'memory'), {
    env: { HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  send({ id: 1, method: 'initialize', params })
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line)
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/call', params: { name: 'crow_store_memory', arguments: { content } } })
    }
    if (id !== 2) continue
    assert.notEqual(result.isError, true, line)
    break
  }
  child.stdin.end()
  await ended
  return child.exitCode
}

test('gateway, stdio and a command start at once on an empty folder, and all of them store', { timeout }, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const home = scratchFolder(t)
    const [running, exitCode, called] = await Promise.all([
      serve(t, { home }),
      overStdio(home, 'Stored over stdio.'),
      crow({ home }, ['call', 'memory', 'store_memory', '--content', 'Stored by a command.']),
    ])
    assert.deepEqual([exitCode, called.status], [0, 0], called.err)
    assert.equal((await running.end('SIGTERM')).status, 0)
    const db = new Database(join(home, '.local', 'share', 'crow', 'crow.db'), { readonly: true })
    t.after(() => db.close())
    const contents = db.prepare('SELECT content FROM memories ORDER BY content').pluck().all()
    assert.deepEqual(contents, ['Stored by a command.', 'Stored over stdio.'])
    const applied = db.prepare('SELECT count(*) = count(DISTINCT created_at) FROM __drizzle_migrations').pluck().get()
    assert.equal(applied, 1, 'each migration is recorded once')
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  }
})
