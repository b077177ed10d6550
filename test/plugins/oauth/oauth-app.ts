// The authorization server on a loopback port behind its real doors, with the owner's password set, and a small resource that
// says who was let in. Everything is real but the room of the tools.
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import body from '../../../plugins/armour/body.ts'
import cookies from '../../../plugins/armour/cookies.ts'
import errors from '../../../plugins/armour/errors.ts'
import guard from '../../../plugins/armour/guard.ts'
import limits from '../../../plugins/armour/limits.ts'
import network from '../../../plugins/armour/network.ts'
import notFound from '../../../plugins/armour/not-found.ts'
import { serverOptions } from '../../../plugins/armour/server.ts'
import { anyone } from '../../../plugins/doors/anyone.ts'
import { applicant } from '../../../plugins/doors/applicant.ts'
import { behind } from '../../../plugins/doors/behind.ts'
import addresses from '../../../plugins/ground/addresses.ts'
import gatewayPlugin from '../../../plugins/ground/gateway.ts'
import login from '../../../plugins/login/index.ts'
import { createOAuthRoom } from '../../../plugins/oauth/index.ts'
import metadata from '../../../plugins/oauth/metadata.ts'
import { loadConfig } from '../../../src/config.ts'
import { AccessError } from '../../../src/errors.ts'
import { openGateway } from '../../../src/gateway.ts'
import { createLog } from '../../../src/lib/log.ts'
import { readBearer } from '../../../src/oauth/bearer.ts'
import type { DocumentFetch } from '../../../src/oauth/client-documents.ts'
import { defineServer, type ServerDefinition } from '../../../src/runtime/server.ts'
import { PASSWORD } from '../../fixtures/sign-in.ts'

export { PASSWORD }

export interface OAuthApp {
  readonly app: FastifyInstance
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** What the clock says; tests move it. */
  readonly time: { offsetMs: number }
  readonly lines: string[]
  readonly dataDir: string
  close(): Promise<void>
}

export interface OAuthAppOptions {
  readonly env?: Record<string, string>
  /** An existing data folder; a new one unless given. */
  readonly dataDir?: string
  readonly port?: number
  readonly fetchDocument?: DocumentFetch
  /** Beside memory and storage. */
  readonly servers?: readonly ServerDefinition[]
}

/** A second server, so that an audience can be the wrong one. */
const storage = defineServer({ id: 'storage', title: 'Storage', summary: 'A second server.', tools: [] })

export async function oauthApp(t: TestContext, options: OAuthAppOptions = {}): Promise<OAuthApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'crow-oauth-'))
  const config = loadConfig({
    HOME: '/nowhere',
    CROW_DATA_DIR: dataDir,
    PORT: '0',
    CROW_LOG_LEVEL: 'debug',
    ...options.env,
  })
  const lines: string[] = []
  const time = { offsetMs: 0 }
  const clock = { now: () => Date.now() + time.offsetMs }
  const log = createLog({ level: config.logLevel, write: (line) => void lines.push(line) })
  const gateway = await openGateway(config, { log, clock, servers: [storage, ...(options.servers ?? [])] })
  const app = Fastify(serverOptions(config, log))
  const close = async (): Promise<void> => {
    await app.close()
    await gateway.close()
  }
  t.after(async () => {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await app.register(gatewayPlugin, { gateway })
  await app.register(addresses)
  for (const plugin of [errors, network, body, limits, cookies, guard]) await app.register(plugin)
  await app.register(behind(anyone, metadata, resource))
  const room = createOAuthRoom(options.fetchDocument === undefined ? {} : { fetchDocument: options.fetchDocument })
  await app.register(behind(applicant, login, room))
  await app.register(notFound)
  if (!gateway.operators.exists()) await gateway.operators.setPassword(PASSWORD)
  const origin = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  return { app, origin, port: Number(new URL(origin).port), time, lines, dataDir, close }
}

const anything = { response: { 200: { type: 'object', additionalProperties: true } } }

/** Says who a token lets in, at every URL of the servers. */
const resource: FastifyPluginAsync = async (app) => {
  for (const { path, server } of app.urls.resources) {
    app.get(path, { schema: anything }, ({ headers }) => {
      const { caller, server: audience } = app.tokens.verify(readBearer(headers.authorization) ?? '')
      if (audience !== 'all' && audience !== server)
        throw new AccessError('unauthenticated', 'TOKEN_INVALID', 'This token is for another server.')
      return { id: caller.id, client: caller.client, scopes: caller.scopes === 'all' ? 'all' : [...caller.scopes] }
    })
  }
}
