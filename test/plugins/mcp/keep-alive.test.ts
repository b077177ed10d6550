// Silent streams say from time to time that they are alive, and streams at work are left alone.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { keepAlive, KEEP_ALIVE_MS } from '../../../plugins/mcp/keep-alive.ts'
import { listen } from '../../fixtures/loopback.ts'
import { open } from '../../fixtures/rpc.ts'
import { until } from '../../fixtures/sse.ts'

const timeout = 20_000

test('a silent stream gets comments until it is stopped', { timeout }, async (t) => {
  let response: ServerResponse | undefined
  const server = createServer((_request, answer) => {
    response = answer
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  })
  assert.ok(KEEP_ALIVE_MS >= 15_000 && KEEP_ALIVE_MS <= 25_000)
  const stream = await open({ port: await listen(t, server), token: '' }, { method: 'GET', path: '/' })
  assert.ok(response)
  const alive = keepAlive(response, 20)
  await until(() => stream.text().length >= 3 * ': keep-alive\n\n'.length)
  assert.match(stream.text(), /^(: keep-alive\n\n)+$/)
  alive.stop()
  response.end('event: message\ndata: {}\n\n')
  assert.equal(await stream.ended, 'ended')
  assert.match(stream.text(), /^(: keep-alive\n\n)+event: message\ndata: \{\}\n\n$/)
})

test('writing puts the next comment off', { timeout }, async (t) => {
  const server = createServer((_request, answer) => {
    const alive = keepAlive(answer, 200)
    let writes = 0
    const timer = setInterval(() => {
      answer.write(`data: {"n":${++writes}}\n\n`)
      alive.wrote()
      if (writes < 40) return
      clearInterval(timer)
      alive.stop()
      answer.end()
    }, 10)
  })
  const stream = await open({ port: await listen(t, server), token: '' }, { method: 'GET', path: '/' })
  assert.equal(await stream.ended, 'ended')
  assert.ok(!stream.text().includes('keep-alive'))
})
