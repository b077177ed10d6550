import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import cookies from '../../../plugins/armour/cookies.ts'
import errors from '../../../plugins/armour/errors.ts'
import guard from '../../../plugins/armour/guard.ts'
import limits from '../../../plugins/armour/limits.ts'
import network from '../../../plugins/armour/network.ts'
import { serverOptions } from '../../../plugins/armour/server.ts'
import { applicant } from '../../../plugins/doors/applicant.ts'
import { behind } from '../../../plugins/doors/behind.ts'
import gatewayPlugin from '../../../plugins/ground/gateway.ts'
import { loadConfig } from '../../../src/config.ts'
import { openGateway } from '../../../src/gateway.ts'
import { createLog } from '../../../src/lib/log.ts'
import { temporaryFolder } from '../../src/db/temporary.ts'

const timeout = 60_000

/** The door in front of a room that answers as it is asked. */
async function roomBehind(t: Parameters<typeof temporaryFolder>[0], hold?: Promise<void>, env = {}) {
  const config = loadConfig({ HOME: '/nowhere', CROW_DATA_DIR: temporaryFolder(t), ...env })
  const lines: string[] = []
  const time = { now: 1_000_000 }
  const log = createLog({ level: 'warn', write: (line) => void lines.push(line) })
  const gateway = await openGateway(config, { log, clock: { now: () => time.now } })
  const app = Fastify(serverOptions(config, log))
  t.after(() => app.close())
  const room: FastifyPluginAsync = async (scope) => {
    const text = { answers: 'text' } as const
    scope.get('/good', { config: text }, () => 'good')
    scope.get('/moved', { config: text }, (_request, reply) => reply.redirect('/good', 303))
    scope.get('/bad', { config: text }, (_request, reply) => reply.code(400).send('bad'))
    scope.get('/other', { config: text }, (_request, reply) => reply.code(400).send('bad'))
    scope.get('/open', { config: { ...text, cors: 'open' } }, (_request, reply) => reply.code(400).send('bad'))
    scope.get('/never', { config: { ...text, applicant: { refund: 'never' } } }, () => 'good')
    scope.get('/chosen', { config: { ...text, applicant: { refund: 'never' } } }, (request) => {
      request.refund()
      request.refund()
      return 'good'
    })
    scope.get('/named', { config: { ...text, applicant: { budgetOf } } }, (_request, reply) =>
      reply.code(400).send('bad'),
    )
    for (const path of ['/shared/a', '/shared/b'])
      scope.get(path, { config: { ...text, applicant: { refund: 'never', endpoint: 'shared' } } }, () => 'good')
    scope.get('/slow', { config: text }, async () => {
      await hold
      return 'good'
    })
  }
  await app.register(gatewayPlugin, { gateway })
  for (const plugin of [errors, network, limits, cookies, guard]) await app.register(plugin)
  await app.register(behind(applicant, room))
  await app.ready()
  const statuses = async (path: string, times: number, remoteAddress = '192.0.2.1', more = {}): Promise<number[]> => {
    const found: number[] = []
    for (let request = 0; request < times; request++)
      found.push((await app.inject({ url: path, remoteAddress, headers: { host: '127.0.0.1', ...more } })).statusCode)
    return found
  }
  return { app, time, statuses, lines }
}

const budgetOf = ({ headers }: FastifyRequest): string | undefined => headers['x-name']?.toString()
const of = (status: number, times: number): number[] => Array<number>(times).fill(status)

test(
  'twenty failures an address and endpoint in fifteen minutes; what succeeds is given back',
  { timeout },
  async (t) => {
    const { statuses, time, app } = await roomBehind(t)
    assert.deepEqual(await statuses('/good', 30), of(200, 30))
    assert.deepEqual(await statuses('/moved', 30), of(303, 30))
    assert.deepEqual(await statuses('/bad', 22), [...of(400, 20), 429, 429])
    assert.deepEqual(await statuses('/other', 1), [400], 'each endpoint has its own')
    assert.deepEqual(await statuses('/bad', 1, '192.0.2.2'), [400], 'and each address')
    assert.deepEqual(await statuses('/bad', 20, '2001:db8:1:2::1'), of(400, 20))
    assert.deepEqual(await statuses('/bad', 1, '2001:db8:1:2:ffff::9'), [429], 'an IPv6 address counts by its /64')
    const refused = await app.inject({ url: '/bad', remoteAddress: '192.0.2.1', headers: { host: '127.0.0.1' } })
    assert.equal(refused.headers['retry-after'], '900')
    time.now += 15 * 60_000
    assert.deepEqual(await statuses('/bad', 1), [400])
  },
)

test(
  'an endpoint may keep what it charged, give it back itself, or share a budget with others',
  { timeout },
  async (t) => {
    const { statuses } = await roomBehind(t)
    assert.deepEqual(await statuses('/never', 21), [...of(200, 20), 429])
    assert.deepEqual(await statuses('/chosen', 30), of(200, 30))
    assert.deepEqual(await statuses('/shared/a', 12), of(200, 12))
    assert.deepEqual(await statuses('/shared/b', 9), [...of(200, 8), 429])
  },
)

test('what is given back is not free without end', { timeout }, async (t) => {
  const { statuses, time } = await roomBehind(t, undefined, { CROW_LIMIT_STRANGER: '25' })
  assert.deepEqual(await statuses('/chosen', 27), [...of(200, 25), 429, 429])
  assert.deepEqual(await statuses('/good', 1), [429], 'one budget for all of it')
  assert.deepEqual(await statuses('/good', 1, '192.0.2.2'), [200])
  time.now += 15 * 60_000
  assert.deepEqual(await statuses('/good', 1), [200])
})

test('what pages make a browser send uses up nothing of the programs beside it', { timeout }, async (t) => {
  const { statuses } = await roomBehind(t)
  const address = '127.0.0.1'
  assert.deepEqual(await statuses('/open', 21, address, { origin: 'https://evil.example' }), [...of(400, 20), 429])
  assert.deepEqual(await statuses('/bad', 21, address, { 'sec-fetch-site': 'cross-site' }), [...of(400, 20), 429])
  assert.deepEqual(await statuses('/open', 1, address, { origin: 'https://other.example' }), [429], 'one for all pages')
  for (const path of ['/open', '/bad']) assert.deepEqual(await statuses(path, 21, address), [...of(400, 20), 429])
})

const by = (name?: string) => ({
  'x-forwarded-for': '203.0.113.9',
  ...(name === undefined ? {} : { 'x-name': name }),
})

test('through a proxy that nobody told us of, who is known has a budget of their own', { timeout }, async (t) => {
  const { statuses, lines } = await roomBehind(t)
  assert.deepEqual(await statuses('/named', 21, '192.0.2.1', by()), [...of(400, 20), 429])
  assert.deepEqual(await statuses('/named', 21, '192.0.2.1', by('a')), [...of(400, 20), 429])
  assert.deepEqual(await statuses('/named', 1, '192.0.2.1', by('b')), [400])
  assert.equal(lines.filter((line) => line.includes('CROW_TRUSTED_PROXIES')).length, 1)
  assert.deepEqual(await statuses('/named', 1, '192.0.2.1', { 'x-name': 'b' }), [429], 'no proxy, no name')
  for (const mark of ['forwarded', 'x-real-ip', 'via'])
    assert.deepEqual(await statuses('/named', 1, '192.0.2.1', { [mark]: 'x', 'x-name': mark }), [400], mark)
  const told = await roomBehind(t, undefined, { CROW_TRUSTED_PROXIES: '192.0.2.1' })
  assert.deepEqual(await told.statuses('/named', 21, '192.0.2.1', by('a')), [...of(400, 20), 429])
  assert.deepEqual(await told.statuses('/named', 1, '192.0.2.1', by('b')), [429])
  assert.deepEqual(told.lines, [])
})

test('whoever hangs up before the answer has paid', { timeout }, async (t) => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const { app } = await roomBehind(t, promise)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  for (let request = 0; request < 20; request++) {
    const arrived = new Promise<IncomingMessage>((resolve) => app.server.once('request', resolve))
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
    const { socket: theirs } = await arrived
    const gone = new Promise((resolve) => theirs.once('close', resolve))
    socket.destroy()
    await gone
  }
  release()
  let status = 0
  for (let look = 0; look < 100 && status !== 429; look++) status = (await fetch(`${address}/slow`)).status
  assert.equal(status, 429)
})
