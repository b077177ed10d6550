// Whom the command line believes: a live socket that somebody else may have put there, and what it says, lead nobody astray.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { liveSockets, openLive, removeLive } from '../../../src/cli/live-sockets.ts'
import { runningGateways } from '../../../src/cli/running.ts'
import { crow, scratchFolder } from './crow.ts'

const timeout = 60_000

function greetingOf(host: string, port = 6666): string {
  return `${JSON.stringify({ greeting: { pid: 1, listening: { host, port } } })}\n`
}

/** A live socket at `path` that says whatever `speak` writes. */
async function speakAt(t: TestContext, path: string, speak: (socket: Socket, server: Server) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    speak(socket, server)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.after(() => server.close())
}

/** A data folder with a link to a live socket in a folder of the temporary one. */
async function linked(t: TestContext) {
  const dataDir = scratchFolder(t)
  const elsewhere = mkdtempSync(join(tmpdir(), 'crow-live-'))
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
  await speakAt(t, join(elsewhere, 'live.sock'), (socket) => socket.write(greetingOf('127.0.0.1')))
  const entry = join(dataDir, 'live-1.sock')
  symlinkSync(join(elsewhere, 'live.sock'), entry)
  return { dataDir, elsewhere, entry }
}

test('a link is followed into a folder of ours alone', { timeout }, async (t) => {
  const { dataDir, elsewhere, entry } = await linked(t)
  assert.deepEqual(await runningGateways(dataDir), [{ host: '127.0.0.1', port: 6666 }])
  for (const mode of [0o755, 0o710, 0o777]) {
    chmodSync(elsewhere, mode)
    assert.deepEqual(await runningGateways(dataDir), [], mode.toString(8))
    assert.equal(await openLive(entry), 'dead')
  }
  removeLive(entry)
  assert.deepEqual(liveSockets(dataDir), [])
  assert.ok(existsSync(elsewhere), 'what is not ours alone is not removed')
})

test('a link that leads over another link, or to another name, is not followed', { timeout }, async (t) => {
  const { dataDir, elsewhere } = await linked(t)
  const real = `${elsewhere}-real`
  t.after(() => rmSync(real, { recursive: true, force: true }))
  renameSync(elsewhere, real)
  symlinkSync(real, elsewhere)
  assert.deepEqual(await runningGateways(dataDir), [])
  const other = scratchFolder(t)
  await speakAt(t, join(other, 'live.sock'), (socket) => socket.write(greetingOf('127.0.0.1')))
  symlinkSync(join(other, 'live.sock'), join(dataDir, 'live-2.sock'))
  assert.deepEqual(await runningGateways(dataDir), [])
})

test('a folder that others can exchange is not trusted, whatever is in it', { timeout }, async (t) => {
  const { dataDir, elsewhere } = await linked(t)
  const open = scratchFolder(t)
  const inside = join(open, 'crow-live-x')
  renameSync(elsewhere, inside)
  rmSync(join(dataDir, 'live-1.sock'))
  symlinkSync(join(inside, 'live.sock'), join(dataDir, 'live-1.sock'))
  assert.equal((await runningGateways(dataDir)).length, 1)
  chmodSync(open, 0o777)
  assert.deepEqual(await runningGateways(dataDir), [])
})

test('a gateway is looked for on this machine only', { timeout }, async (t) => {
  const dataDir = scratchFolder(t)
  let greeting = ''
  await speakAt(t, join(dataDir, 'live-1.sock'), (socket) => socket.write(greeting))
  for (const host of ['evil.example', '203.0.113.9', '2001:db8::1', '127.0.0.1.evil.example', '127.1@evil.example']) {
    greeting = greetingOf(host)
    assert.deepEqual(await runningGateways(dataDir), [], host)
  }
  for (const port of [0, 1.5, 65_536, -1]) {
    greeting = greetingOf('127.0.0.1', port)
    assert.deepEqual(await runningGateways(dataDir), [], String(port))
  }
  for (const host of ['localhost', '::1', '0.0.0.0', '127.0.0.2']) {
    greeting = greetingOf(host)
    assert.deepEqual(await runningGateways(dataDir), [{ host, port: 6666 }])
  }
})

test('a socket that never ends its line, or says nothing, holds nobody up', { timeout }, async (t) => {
  const dataDir = scratchFolder(t)
  const chunk = Buffer.alloc(8 * 1024, 'x')
  await speakAt(t, join(dataDir, 'live-1.sock'), (socket) => {
    const timer = setInterval(() => socket.write(chunk), 20)
    socket.once('close', () => clearInterval(timer))
  })
  await speakAt(t, join(dataDir, 'live-2.sock'), (socket) => {
    const timer = setInterval(() => socket.write(' '), 100)
    socket.once('close', () => clearInterval(timer))
  })
  const startedAt = performance.now()
  assert.deepEqual(await runningGateways(dataDir), [])
  assert.ok(performance.now() - startedAt < 5_000)
})

test('what a feed sends cannot steer the terminal', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const dataDir = join(home, 'data')
  mkdirSync(dataDir)
  const call = {
    at: '2026-01-01T00:00:00.000Z',
    pid: 1,
    caller: 'x\u001B[2J',
    server: 'mem\u001B[31mory',
    tool: 't\u001B]0;owned\u0007\u009B1m\u202E',
    outcome: 'ok',
    durationMs: 1,
    bytes: 1,
  }
  for (const args of [[], ['--json']]) {
    await speakAt(t, join(dataDir, 'live-1.sock'), (socket, server) => {
      server.close()
      socket.end(`${JSON.stringify(call)}\n{"other":"\u009B31m"}\n${'y'.repeat(70_000)}`)
    })
    const run = await crow({ home }, ['inspect', '--data-dir', dataDir, ...args])
    assert.equal(run.status, 0, run.err)
    assert.match(run.out, /mem.*ory/)
    assert.match(run.out, /other/)
    assert.doesNotMatch(run.out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    assert.doesNotMatch(run.out, /yyy/)
  }
})
