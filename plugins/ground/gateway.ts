// Puts the opened gateway where rooms and doors find it. Opens no route; closes after everything that stands on it.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import type { AuditLog } from '../../src/db/audit.ts'
import type { Database } from '../../src/db/client.ts'
import type { Gateway } from '../../src/gateway.ts'
import type { LocalTokens } from '../../src/oauth/local-tokens.ts'
import type { ChangeBus } from '../../src/runtime/bus.ts'
import type { Catalog } from '../../src/runtime/catalog.ts'
import type { Clock, Ids } from '../../src/runtime/context.ts'
import type { Config } from '../../src/config.ts'
import type { SecretStore } from '../../src/secrets/store.ts'
import type { Operators } from '../../src/operator/operators.ts'
import type { Vault } from '../../src/secrets/vault.ts'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    clock: Clock
    ids: Ids
    database: Database
    catalog: Catalog
    vault: Vault
    secrets: SecretStore
    tokens: LocalTokens
    operators: Operators
    bus: ChangeBus
    audit: AuditLog
    gateway: Gateway
  }
}

function ground(app: FastifyInstance, { gateway }: { gateway: Gateway }, done: () => void): void {
  app.decorate('gateway', gateway)
  app.decorate('config', gateway.config)
  app.decorate('clock', gateway.clock)
  app.decorate('ids', gateway.ids)
  app.decorate('database', gateway.database)
  app.decorate('catalog', gateway.catalog)
  app.decorate('vault', gateway.vault)
  app.decorate('secrets', gateway.secrets)
  app.decorate('tokens', gateway.tokens)
  app.decorate('operators', gateway.operators)
  app.decorate('bus', gateway.bus)
  app.decorate('audit', gateway.audit)
  app.addHook('onClose', () => gateway.close())
  done()
}

export default fp(ground, { name: 'ground/gateway', fastify: '5.x' })
