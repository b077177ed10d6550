// GET /api/health: for the owner, and nobody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolsServer } from '../../../src/upstream/tools-server.ts'
import { externalSource } from '../../fixtures/external/source.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { signIn } from '../../fixtures/sign-in.ts'

const timeout = 60_000

test('nobody but the owner learns how the machine is doing', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  for (const headers of [
    {},
    { authorization: `Bearer ${running.token}` },
    { cookie: `${running.app.cookieJar.nameOf('operator', '')}=operator.x.y` },
  ]) {
    const answer = await running.app.inject({ url: '/api/health', headers })
    assert.equal(answer.statusCode, 401)
    assert.doesNotMatch(answer.body, /Bytes|load/)
  }
})

test('the owner sees memory, disk and processor as numbers that can be', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const cookie = await signIn(running)
  const ask = async () => await running.app.inject({ url: '/api/health', headers: { cookie } })
  const [answer, again] = await Promise.all([ask(), ask()])
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.body, again.body, 'asked at once, measured once')
  const { status, memory, disk, cpu, uptimeS } = answer.json()
  assert.equal(status, 'ok')
  assert.ok(memory.freeBytes > 0 && memory.freeBytes <= memory.totalBytes)
  assert.ok(memory.heapBytes > 0 && memory.heapBytes < memory.processBytes)
  assert.ok(memory.processBytes < memory.totalBytes)
  assert.ok(disk.freeBytes > 0 && disk.freeBytes <= disk.totalBytes)
  assert.ok(cpu.count >= 1 && cpu.load.length === 3 && cpu.processPercent >= 0)
  assert.ok(uptimeS.process >= 0 && uptimeS.machine >= 0)
  const headers = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal((await running.app.inject({ url: '/api/health', headers })).statusCode, 403)
})

test('the owner learns how each external server is doing, and why one is down', { timeout }, async (t) => {
  const running = await startApp({}, { servers: [toolsServer(externalSource())] })
  t.after(() => running.close())
  const cookie = await signIn(running)
  const { sources } = (await running.app.inject({ url: '/api/health', headers: { cookie } })).json()
  const same = { connections: 1, pending: 0, since: '1970-01-01T00:00:01.000Z' }
  assert.deepEqual(sources, [
    { id: 'github', name: 'GitHub', tools: 2, status: 'ready', restarts: 0, circuit: 'closed', ...same },
    {
      id: 'files',
      name: 'Files',
      tools: 8,
      status: 'backoff',
      restarts: 2,
      circuit: 'half-open',
      ...same,
      lastError: 'It exited with code 1.',
    },
  ])
})
