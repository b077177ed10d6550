// The public path in front of every route, stripped or not by a proxy; and what is answered past every route.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { anyone } from '../../../plugins/doors/anyone.ts'
import { behind } from '../../../plugins/doors/behind.ts'
import { SECURITY_HEADERS } from '../../../plugins/armour/headers.ts'
import { withoutBase } from '../../../plugins/armour/server.ts'
import { armouredApp, inOrder } from '../armoured-app.ts'

const timeout = 20_000

test('only a whole path segment counts as the public path', { timeout }, () => {
  const strip = withoutBase('/crow')
  const cases = {
    '/crow/mcp?x=1': '/mcp?x=1',
    '/crow': '/',
    '/crow?a': '/?a',
    '/crow/': '/',
    '/crowd/mcp': '/crowd/mcp',
    '/mcp': '/mcp',
    '/a/crow/mcp': '/a/crow/mcp',
  }
  for (const [from, to] of Object.entries(cases)) assert.equal(strip({ url: from }), to)
})

test('routes answer below the public path and at the root', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example/crow' })
  for (const url of ['/crow/open', '/open']) assert.equal((await app.inject(url)).statusCode, 200, url)
})

async function connectTo(app: FastifyInstance) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
}

test(
  'bytes that are no request add nothing to an answer that has begun, and answer no other request',
  { timeout },
  async (t) => {
    const reached = Promise.withResolvers<undefined>()
    const { app } = await armouredApp(t, {}, async (instance, config) => {
      await inOrder(instance, config)
      const options = { config: { answers: 'stream' } } as const
      await instance.register(
        behind(anyone, async (scope) => {
          scope.get('/begun', options, (_request, reply) => {
            reply.hijack()
            reply.raw.writeHead(200).write('data: 1\n\n')
          })
          scope.get('/pending', options, (_request, reply) => {
            reply.hijack()
            reached.resolve(undefined)
          })
        }),
      )
    })
    const begun = await connectTo(app)
    begun.write('GET /begun HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [first] = await once(begun, 'data')
    begun.write('this is no http\r\n\r\n')
    const rest = await text(begun).catch(() => '')
    assert.doesNotMatch(`${String(first)}${rest}`.slice('HTTP/1.1'.length), /HTTP\/1\.1/)
    const pending = connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1')
    pending.write('GET /pending HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await reached.promise
    pending.write('this is no http\r\n\r\n')
    assert.equal(await text(pending).catch(() => ''), '')
  },
)

test(
  'an expectation that Node would refuse is passed over, and the request meets the doors',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t)
    const socket = await connectTo(app)
    socket.write('GET /whoami HTTP/1.1\r\nHost: localhost\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n')
    const answer = await text(socket)
    assert.match(answer, /^HTTP\/1\.1 401 /)
    for (const [name, value] of SECURITY_HEADERS) assert.ok(answer.includes(`${name}: ${value}\r\n`), name)
  },
)

test(
  'also what is refused past every route says to stay on https, where the public address is https',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example' })
    const { headers } = await app.inject('/%zz')
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    assert.ok(headers['x-request-id'])
    const socket = await connectTo(app)
    socket.write('this is no http\r\n\r\n')
    assert.match(await text(socket), /\r\nstrict-transport-security: max-age=31536000\r\n/)
  },
)

test('what the proxy says last is heard, however many headers the client sent before', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example' })
  const socket = await connectTo(app)
  const many = 'A:b\r\n'.repeat(2500)
  socket.write(
    `GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${many}X-Forwarded-For: 203.0.113.9\r\n\r\n`,
  )
  assert.match(await text(socket), /^HTTP\/1\.1 403 .*NOT_EXPOSED/s)
})
