// An app with real armour and real doors in front of small fixture rooms, so that each rule can be seen alone.
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyPluginCallback } from 'fastify'
import fp from 'fastify-plugin'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import body from '../../plugins/armour/body.ts'
import errors from '../../plugins/armour/errors.ts'
import guard from '../../plugins/armour/guard.ts'
import limits from '../../plugins/armour/limits.ts'
import network from '../../plugins/armour/network.ts'
import notFound from '../../plugins/armour/not-found.ts'
import { serverOptions } from '../../plugins/armour/server.ts'
import { anyone } from '../../plugins/doors/anyone.ts'
import { behind } from '../../plugins/doors/behind.ts'
import { caller } from '../../plugins/doors/caller.ts'
import { loopbackCaller } from '../../plugins/doors/loopback-caller.ts'
import { loadConfig, type Config } from '../../src/config.ts'
import { createLog } from '../../src/lib/log.ts'
import { createAddresses } from '../../src/oauth/addresses.ts'
import { createScopes } from '../../src/oauth/scopes.ts'
import { createLocalTokens } from '../../src/oauth/local-tokens.ts'
import { openDatabase } from '../../src/db/client.ts'
import { addOwner } from '../fixtures/owner.ts'

export interface ArmouredApp {
  readonly app: FastifyInstance
  readonly config: Config
  /** A token for everything. */
  readonly token: string
  /** What the clock of the app says; tests move it. */
  readonly time: { now: number }
  /** Lines of the log so far. */
  readonly lines: string[]
}

type Assemble = (app: FastifyInstance, config: Config) => Promise<void>

/** Ground, armour and doors in their order, `/open` behind anyone, `/mcp` and `/whoami` behind the caller. */
export const inOrder: Assemble = async (app, config) => {
  for (const plugin of [errors, network, body, limits, guard]) await app.register(plugin)
  await app.register(behind(anyone, open))
  await app.register(behind(config.noAuth ? loopbackCaller : caller, mcp))
  await app.register(notFound)
}

/** Builds an app from real parts; what `assemble` registers stands on a real database. */
export async function armouredApp(
  t: TestContext,
  env: Record<string, string> = {},
  assemble: Assemble = inOrder,
): Promise<ArmouredApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-armour-'))
  const database = await openDatabase({ dataDir })
  await addOwner(database)
  const config = loadConfig({ HOME: '/nowhere', CROW_LOG_LEVEL: 'debug', ...env })
  const lines: string[] = []
  const log = createLog({ level: config.logLevel, write: (line) => void lines.push(line) })
  const time = { now: Date.now() }
  const clock = { now: () => time.now }
  const tokens = createLocalTokens(database, clock, { watch: false, log })
  const app = Fastify(serverOptions(config, log))
  t.after(async () => {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const ground: FastifyPluginCallback = (instance, _options, done) => {
    instance
      .decorate('config', config)
      .decorate('clock', clock)
      .decorate('tokens', tokens)
      .decorate('database', database)
    instance.addHook('onClose', async () => {
      await tokens.close()
      await database.close()
    })
    done()
  }
  const { publicUrl, allowedHosts, host: bind } = config
  const urls = createAddresses({ publicUrl, allowedHosts, servers: [], bind, port: () => config.port })
  const addresses: FastifyPluginCallback = (instance, _options, done) => {
    instance.decorate('urls', urls).decorate('scopes', createScopes([]))
    done()
  }
  await app.register(fp(ground, { name: 'ground/gateway' }))
  await app.register(fp(addresses, { name: 'ground/addresses' }))
  await assemble(app, config)
  await app.ready()
  const { secret } = await tokens.create({ name: 'test' })
  return { app, config, token: secret, time, lines }
}

const anything = { response: { 200: { type: 'object', properties: { id: { type: 'string' }, body: {} } } } }

/** A room for everybody. */
export const open: FastifyPluginAsync = async (app) => {
  app.get('/open', { schema: anything }, () => ({ id: 'open', hidden: 'never leaves' }))
  app.get('/broken', { schema: anything }, () => {
    throw new Error('a sentence with crow_local_0123456789abcdef0123456789abcdef in it')
  })
}

/** A room for identified callers. */
export const mcp: FastifyPluginAsync = async (app) => {
  app.post('/mcp', { config: { answers: 'json-rpc' } }, ({ body: sent }) => ({ body: sent ?? null }))
  app.delete('/mcp', { config: { answers: 'json-rpc' } }, ({ body: sent }) => ({ body: sent ?? null }))
  app.get('/whoami', { schema: anything }, ({ caller: { id } }) => ({ id }))
}
