// Attacks on the wire of the whole gateway: what a hostile page, a hostile client or a careless one can send.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test, type TestContext } from 'node:test'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'

const timeout = 60_000
const MEGABYTE = 1024 * 1024

interface Sent {
  readonly status: number
  readonly body: string
}

async function gateway(t: TestContext, env: Record<string, string> = {}): Promise<RunningApp> {
  const running = await startApp({ CROW_LIMIT_STRANGER: '100000', ...env })
  t.after(() => running.close())
  return running
}

/** Sends a body in pieces and resolves with the answer, also when that comes before the body has ended. */
function send(
  { port, token }: RunningApp,
  options: { headers?: Record<string, string>; pieces?: Iterable<string | Buffer>; path?: string },
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    let answered = false
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: options.path ?? '/memory/mcp',
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...options.headers,
      },
    })
    outgoing.on('response', (incoming) => {
      answered = true
      let body = ''
      const done = (): void => resolve({ status: incoming.statusCode ?? 0, body })
      incoming
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', done)
        .on('error', done)
    })
    // The server may close while we still send: that is its right once it has answered.
    outgoing.on('error', (error) => (answered ? undefined : reject(error)))
    for (const piece of options.pieces ?? []) outgoing.write(piece)
    outgoing.end()
  })
}

const remember = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'crow_store_memory', arguments: { content: 'planted' } },
})
const memories = ({ app }: RunningApp): unknown =>
  app.database.sqlite.prepare('SELECT count(*) AS n FROM memories').pluck().get()

test('a page cannot plant a memory with a form or a plain-text request', { timeout }, async (t) => {
  const running = await gateway(t, { CROW_NO_AUTH: '1' })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; a=application/json',
  ]) {
    assert.equal((await send(running, { headers: { 'content-type': type }, pieces: [remember] })).status, 415, type)
  }
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { host: 'evil.example' },
    { host: 'localhost.evil.example' },
  ]) {
    assert.equal((await send(running, { headers, pieces: [remember] })).status, 403, JSON.stringify(headers))
  }
  assert.equal(memories(running), 0)
})

test('a body of twenty megabytes is refused, announced or not, and memory stays bounded', { timeout }, async (t) => {
  const running = await gateway(t)
  const piece = Buffer.alloc(MEGABYTE, 'a')
  const before = process.memoryUsage().rss
  const announced = await send(running, {
    headers: { 'content-length': String(20 * MEGABYTE) },
    pieces: Array<Buffer>(20).fill(piece),
  })
  const chunked = await send(running, {
    headers: { 'transfer-encoding': 'chunked' },
    pieces: Array<Buffer>(20).fill(piece),
  })
  assert.deepEqual([announced.status, chunked.status], [413, 413])
  assert.ok(process.memoryUsage().rss - before < 200 * MEGABYTE)
  assert.equal((await running.app.inject('/health')).statusCode, 200)
})

test('hostile JSON is refused in JSON-RPC and harms nothing', { timeout }, async (t) => {
  const running = await gateway(t)
  const bodies = [
    '{',
    '',
    '\u0000',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"polluted":true}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","constructor":{"prototype":{"polluted":true}}}',
    `[${'1,'.repeat(1_000_000)}1]`,
  ]
  for (const body of bodies) {
    const { status, body: answer } = await send(running, { pieces: [body] })
    assert.ok(status >= 400 && status < 500, `${body.slice(0, 40)}: ${status}`)
    assert.equal(JSON.parse(answer).jsonrpc, '2.0')
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('a client that sends slowly, or headers that never end, are bounded in time', { timeout }, async (t) => {
  const { app } = await gateway(t)
  assert.ok(app.server.requestTimeout > 0 && app.server.requestTimeout <= 60_000)
  assert.ok(app.server.headersTimeout > 0 && app.server.headersTimeout <= 60_000)
})

test('a stranger pays nothing into memory: what is counted and remembered is bounded', { timeout }, async (t) => {
  const { app } = await gateway(t, { CROW_GATEWAY_BIND: '0.0.0.0', CROW_GATEWAY_URL: 'http://192.168.7.1:3001' })
  for (let index = 0; index < 12_000; index++) {
    await app.inject({ url: '/health', remoteAddress: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` })
  }
  assert.ok(app.limits.strangers.size <= 10_000)
})

test(
  'a forged forwarding header changes neither who is counted nor what is believed about the host',
  { timeout },
  async (t) => {
    const running = await gateway(t, { CROW_LIMIT_STRANGER: '5' })
    const statuses: number[] = []
    for (let index = 0; index < 7; index++) {
      const headers = {
        'x-forwarded-for': `203.0.113.${index}`,
        'x-forwarded-host': 'evil.example',
        'x-real-ip': `203.0.113.${index}`,
        authorization: 'Bearer wrong',
      }
      statuses.push((await send(running, { headers })).status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
  },
)
