import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openLiveFeed } from '../../../src/cli/live-feed.ts'
import { liveSockets } from '../../../src/cli/live-sockets.ts'
import { runningGateways } from '../../../src/cli/running.ts'
import type { EndEvent, PipelineObserver } from '../../../src/runtime/observe.ts'
import { until } from '../../fixtures/until.ts'
import { crow, crowArguments, scratchFolder, serve } from './crow.ts'

const timeout = 60_000

/** A catalog as the feed sees it. */
class Calls {
  readonly observers = new Set<PipelineObserver>()

  observe(observer: PipelineObserver): () => void {
    this.observers.add(observer)
    return () => this.observers.delete(observer)
  }

  end(event: Partial<EndEvent> = {}): void {
    const whole: EndEvent = {
      kind: 'tool',
      callId: 1,
      at: 0,
      caller: { id: 'local:1', kind: 'local', scopes: 'all' },
      session: undefined,
      server: 'memory',
      via: undefined,
      tool: 'dream',
      effect: 'read',
      middlewares: 0,
      trace: undefined,
      outcome: 'ok',
      code: undefined,
      blame: undefined,
      isError: false,
      bytes: 12,
      durationMs: 1.5,
      incident: undefined,
      attributes: undefined,
      ...event,
    }
    for (const observer of this.observers) observer.onEnd?.(whole)
  }
}

test('the socket is for its owner only, calls are observed only while somebody watches', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const calls = new Calls()
  const feed = await openLiveFeed(folder, calls, 7, null)
  assert.ok(feed)
  const path = join(folder, 'live-7.sock')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(calls.observers.size, 0)
  const watcher = connect(path)
  await until(() => calls.observers.size === 1)
  const lines = createInterface({ input: watcher })[Symbol.asyncIterator]()
  assert.deepEqual(JSON.parse((await lines.next()).value ?? ''), { greeting: { pid: 7, listening: null } })
  calls.end()
  const seen = JSON.parse((await lines.next()).value ?? '')
  assert.deepEqual(
    {
      at: seen.at,
      pid: seen.pid,
      caller: seen.caller,
      tool: seen.tool,
      outcome: seen.outcome,
      durationMs: seen.durationMs,
    },
    { at: '1970-01-01T00:00:00.000Z', pid: 7, caller: 'local:1', tool: 'dream', outcome: 'ok', durationMs: 1.5 },
  )
  watcher.destroy()
  await until(() => calls.observers.size === 0)
  await feed.close()
  assert.equal(existsSync(path), false)
})

/** Bytes that buffers hold once what nobody needs is gone. */
function bufferedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage().arrayBuffers
}

test('a watcher that does not read is dropped, and costs neither memory nor the others', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const path = join(folder, 'live-8.sock')
  const calls = new Calls()
  const feed = await openLiveFeed(folder, calls, 8, null)
  t.after(() => feed?.close())
  const slow = connect(path)
  slow.pause()
  slow.on('error', () => slow.destroy())
  await until(() => calls.observers.size === 1)
  const reader = connect(path)
  const lines = createInterface({ input: reader })[Symbol.asyncIterator]()
  assert.match((await lines.next()).value ?? '', /greeting/)

  const before = bufferedBytes()
  const tool = 'x'.repeat(8 * 1024)
  for (let round = 0; round < 4_000; round++) {
    calls.end({ tool, bytes: round })
    assert.equal(JSON.parse((await lines.next()).value ?? '').bytes, round, 'who reads gets every line')
  }
  const grownBytes = bufferedBytes() - before
  assert.ok(grownBytes < 4 << 20, `${grownBytes} bytes of 32 MB are kept`)

  let lateBytes = 0
  slow.on('data', (chunk: Buffer) => (lateBytes += chunk.length))
  const dropped = once(slow, 'close')
  slow.resume()
  await dropped
  assert.ok(lateBytes < 4 << 20, `${lateBytes} bytes came after all`)
  assert.equal(calls.observers.size, 1)
  reader.destroy()
  await until(() => calls.observers.size === 0)
})

test('a folder whose path is too long for a socket has one elsewhere, in a private folder', { timeout }, async (t) => {
  const folder = join(scratchFolder(t), 'x'.repeat(120))
  mkdirSync(folder)
  const calls = new Calls()
  const feed = await openLiveFeed(folder, calls, 9, { host: '127.0.0.1', port: 4321 })
  assert.ok(feed)
  const [entry = ''] = liveSockets(folder)
  const target = readlinkSync(entry)
  t.after(() => rmSync(dirname(target), { recursive: true, force: true }))
  assert.equal(statSync(dirname(target)).mode & 0o777, 0o700)
  assert.equal(statSync(target).mode & 0o777, 0o600)
  assert.deepEqual(await runningGateways(folder), [{ host: '127.0.0.1', port: 4321 }])
  await feed.close()
  assert.deepEqual(liveSockets(folder), [])
  assert.equal(existsSync(dirname(target)), false)
})

/** A process that binds `path` and is killed. */
async function leaveDead(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  const dead = spawn(process.execPath, ['-e', script])
  await new Promise((resolve) => dead.once('close', resolve))
}

test('what killed processes left is swept at the next start, here and elsewhere', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const elsewhere = mkdtempSync(join(tmpdir(), 'crow-live-'))
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
  await leaveDead(join(folder, 'live-1.sock'))
  await leaveDead(join(elsewhere, 'live.sock'))
  symlinkSync(join(elsewhere, 'live.sock'), join(folder, 'live-2.sock'))
  symlinkSync(join(folder, 'gone', 'live.sock'), join(folder, 'live-3.sock'))
  const living = await openLiveFeed(folder, new Calls(), 4, null)
  const feed = await openLiveFeed(folder, new Calls(), 5, null)
  assert.deepEqual(
    liveSockets(folder)
      .map((path) => basename(path))
      .toSorted(),
    ['live-4.sock', 'live-5.sock'],
  )
  assert.equal(existsSync(elsewhere), false)
  await living?.close()
  await feed?.close()
})

test('the socket of a dead process is removed by whoever looks', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const folder = join(home, 'data')
  mkdirSync(folder)
  const path = join(folder, 'live-1.sock')
  await leaveDead(path)
  assert.deepEqual(liveSockets(folder), [path])
  const run = await crow({ home }, ['inspect', '--data-dir', folder])
  assert.equal(run.status, 69)
  assert.match(run.err, /no gateway is running/)
  assert.deepEqual(liveSockets(folder), [])
})

test('calls over HTTP are seen as they happen, one JSON object per line', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const running = await serve(t, { home, env: { CROW_NO_AUTH: '1' } })
  const watching = spawn(process.execPath, crowArguments('inspect', '--json'), {
    env: { HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => watching.kill('SIGKILL'))
  const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]()
  const line = lines.next()
  const call = async (): Promise<void> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    await fetch(`http://127.0.0.1:${running.port}/memory/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'crow_memory_stats',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'crow_memory_stats', arguments: {}, _meta: meta },
      }),
    })
  }
  const seen = new Array<string>()
  void line.then((result) => seen.push(String(result.value)))
  while (seen.length === 0) await call()
  const shown = JSON.parse(seen[0] ?? '')
  assert.deepEqual(
    [shown.server, shown.tool, shown.outcome, shown.pid],
    ['memory', 'memory_stats', 'ok', running.child.pid],
  )
  await running.end('SIGTERM')
  const code = await new Promise((resolve) => watching.once('close', resolve))
  assert.equal(code, 0)
})

test('a process killed while it is watched takes its connection down and nothing else', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const folder = join(home, 'data')
  mkdirSync(folder)
  // It never accepts: a connection that still waits when the process dies is reset, not ended.
  const deaf = `require('node:net').createServer().listen(${JSON.stringify(join(folder, 'live-1.sock'))}, () => {
    require('node:fs').writeSync(1, 'ready')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const killed = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => killed.kill('SIGKILL'))
  await once(killed.stdout, 'data')
  const living = createServer().listen(join(folder, 'live-2.sock'))
  const connected = once(living, 'connection')
  const inspecting = crow({ home }, ['inspect', '--json', '--data-dir', folder])
  const [socket]: Socket[] = await connected
  killed.kill('SIGKILL')
  await once(killed, 'close')
  living.close()
  socket?.end('{"seen":true}\n{"half":')
  assert.deepEqual(await inspecting, { status: 0, out: '{"seen":true}\n', err: '' })
})

test('a person is told that it is listening and how it ends, a program is not', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await serve(t, { home })
  const watching = spawn(process.execPath, crowArguments('inspect'), {
    env: { HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => watching.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: watching.stderr }), 'line')
  assert.match(String(line), /^Watching .*crow \(one process\): calls appear here as they happen, Ctrl-C ends it\.$/)
})

test('a folder nobody made is no mistake of ours, and the hint is a command that works', { timeout }, async (t) => {
  const run = await crow({ home: scratchFolder(t) }, ['inspect'])
  assert.equal(run.status, 69)
  assert.match(run.err, /^crow: no gateway is running on .*\.\ncrow: \/.* serve starts one\.\n$/)
})
