// The gateway without a network: database, search, tokens and the compiled catalog. Whoever serves it (HTTP, stdio, the CLI) opens this.
import type { Config } from './config.ts'
import { environment } from './config/process-environment.ts'
import type { RawEnvironment } from './config/read.ts'
import { createAuditLog, type AuditLog } from './db/audit.ts'
import { startAuditSweep, startLedgerSweep, type AuditSweepOptions } from './db/audit-sweep.ts'
import { openDatabase, type Database } from './db/client.ts'
import { spendOnce } from './db/spent.ts'
import { openExternals, type Externals, type ExternalsGround } from './gateway/externals.ts'
import { createIds } from './lib/ids.ts'
import { createLog, maskSecrets, type JsonLog } from './lib/log.ts'
import { DAY_MS, systemClock } from './lib/time.ts'
import { auditedTokens } from './oauth/audited.ts'
import { createLocalTokens, type LocalTokens } from './oauth/local-tokens.ts'
import { auditedOperators } from './operator/audited.ts'
import { createOperators, type Operators } from './operator/operators.ts'
import { createBus, type ChangeBus } from './runtime/bus.ts'
import { compileCatalog, type Catalog } from './runtime/catalog.ts'
import type { Clock, Ids } from './runtime/context.ts'
import { createContextLedger, type ContextLedger } from './runtime/ledger/ledger.ts'
import { createMetrics, type Metrics } from './runtime/metrics.ts'
import type { EndEvent, PipelineObserver } from './runtime/observe.ts'
import { auditedProfiles } from './runtime/profiles/audited.ts'
import { openProfiles, type Profiles } from './runtime/profiles/profiles.ts'
import type { MakeToolIndex } from './runtime/router/tool-search.ts'
import type { ServerDefinition } from './runtime/server.ts'
import { memoryIndex } from './search/memory-index.ts'
import { openSearcher, type Searcher } from './search/searcher.ts'
import { createSemanticLeg } from './search/semantic.ts'
import { indexScript } from './search/text-index.ts'
import { createSecretStore, type SecretStore } from './secrets/store.ts'
import { openVault, type Vault } from './secrets/vault.ts'
import { servers } from './servers/index.ts'
import { flushAccess } from './servers/memory/access.ts'
import { createInstructions } from './servers/memory/instructions.ts'
import { startResourceWatch } from './servers/memory/resource-watch.ts'
import { startScheduler } from './servers/memory/scheduler.ts'
import { seedSections } from './servers/memory/seed-sections.ts'
import { namesOf } from './upstream/source-id.ts'
import { toolsServer } from './upstream/tools-server.ts'

export interface GatewayOptions {
  readonly log?: JsonLog
  /** Served beside the gateway's own. */
  readonly servers?: readonly ServerDefinition[]
  /** Watch calls beside the audit trail. */
  readonly observers?: readonly PipelineObserver[]
  /** Counts and times every call; `Gateway.metrics` reads them. Default false: then nothing is counted. */
  readonly metrics?: boolean
  readonly clock?: Clock
  readonly ids?: Ids
  /** Whether this process stays: only then are changes of other processes looked for. Default true. */
  readonly longLived?: boolean
  /** Whether other processes on the data folder reach external servers through this one. Default false. */
  readonly isGateway?: boolean
  /** Variables that external servers are started with and that their settings refer to. Default: those of the process. */
  readonly environment?: RawEnvironment
}

export interface Gateway {
  readonly config: Config
  readonly clock: Clock
  readonly ids: Ids
  readonly log: JsonLog
  readonly database: Database
  readonly searcher: Searcher
  readonly bus: ChangeBus
  readonly vault: Vault
  readonly secrets: SecretStore
  readonly tokens: LocalTokens
  readonly operators: Operators
  readonly profiles: Profiles
  readonly catalog: Catalog
  readonly externals: Externals
  readonly audit: AuditLog
  readonly ledger: ContextLedger
  /** There only where it was asked for. */
  readonly metrics: Metrics | undefined
  /** Writes what is pending and closes everything, the database last. Repeatable: every call waits for the same end. */
  close(): Promise<void>
}

/** Words for tools are loaded when somebody looks for one. */
const toolIndex: MakeToolIndex = async (documents, isWanted) =>
  (await import('./search/tool-index.ts')).buildToolIndex(documents, isWanted)

/** The log of a process that serves: JSON lines on stderr, so that stdout stays for answers. */
export function processLog(config: Pick<Config, 'logLevel'>): JsonLog {
  return createLog({ level: config.logLevel, write: (line) => void process.stderr.write(line) })
}

/**
 * Opens everything below the doors. Serves nothing and runs no schedules.
 * @throws GatewayError or DomainError of the database, CompileError of a wrong declaration
 */
export async function openGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  const clock = options.clock ?? systemClock
  const ids = options.ids ?? createIds(clock)
  const log = options.log ?? processLog(config)
  const watch = options.longLived !== false
  if (watch) for (const warning of config.warnings) log.warn(warning)
  const closers: (() => Promise<void>)[] = []
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= closeInTurn(closers.toReversed()))
  try {
    const database = await openDatabase({ path: config.databasePath, repeatable: [indexScript(memoryIndex)], log })
    closers.push(() => database.close())
    closers.push(() => lastAccess(database, log))
    const searcher = searcherOf(config, database, clock, log)
    closers.push(() => searcher.close())
    const vault = openVault({ dataDir: config.dataDir, written: config.key })
    const secrets = createSecretStore(database, vault, clock)
    const bare = createLocalTokens(database, clock, { watch, log })
    closers.push(() => bare.close())
    const { audit, ledger, metrics, observers, end } = openRecords(database, { config, clock, log, options })
    closers.push(end)
    const owner = createOperators(database, vault, clock, log, { setupToken: config.setupToken })
    // A process that serves is asked at the dashboard, for which there has to be an owner.
    const by = (): 'operator' | 'cli' => (options.longLived === false || !owner.exists() ? 'cli' : 'operator')
    const tokens = auditedTokens(bare, audit, by)
    const operators = auditedOperators(owner, audit, by)
    await seedSections(database, clock)
    const bus = createBus((error) => log.error({ err: error }, 'a listener of changes failed'))
    const kept = await openProfiles(database, clock, { watch, bus, log, catalog: () => catalog })
    const profiles = auditedProfiles(kept, audit, by)
    const { contextWrites, deviceId, timeZone } = config
    const ports = { searcher, timeZone, deviceId, contextWrites, audit }
    const own = [...servers, ...(options.servers ?? [])]
    const ground = { config, database, secrets, vault, clock, ids, log, bus }
    const externals = externalsOf(own, options, ground)
    closers.push(() => externals.close())
    const catalog: Catalog = compileCatalog([...own, toolsServer(externals.source)], {
      context: () => ({ db: database, ports }),
      instructions: createInstructions({ db: database, deviceId, bus, log, catalog: () => catalog }),
      observers,
      confirm: config.confirm,
      stateKey: vault.derive('confirmations'),
      spent: { spend: (nonce, expiresAt, now) => spendOnce(database, nonce, expiresAt, now) },
      ...(config.router ? { router: { makeIndex: toolIndex, profileOf: profiles.of } } : {}),
      clock,
      ids,
      log,
      bus,
    })
    return {
      ...ground,
      searcher,
      tokens,
      operators,
      profiles,
      catalog,
      externals,
      audit,
      ledger,
      metrics,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What is written down of every call, and for how long. `end` writes what is pending. */
function openRecords(
  database: Database,
  { config, clock, log, options }: { config: Config; clock: Clock; log: JsonLog; options: GatewayOptions },
) {
  const audit = createAuditLog(database, log, clock)
  const ledger = createContextLedger(database, log)
  const metrics = options.metrics === true ? createMetrics() : undefined
  const sweeping = sweepOf(config, clock, options)
  const sweeps = [startAuditSweep(database, log, sweeping), startLedgerSweep(database, log, sweeping)]
  return {
    audit,
    ledger,
    metrics,
    observers: [
      auditObserver(audit),
      ledger.observer,
      ...(metrics === undefined ? [] : [metrics]),
      ...(options.observers ?? []),
    ],
    end: () => closeInTurn([...sweeps, () => ledger.close(), () => audit.close()]),
  }
}

/**
 * Begins what a process does beside answering: schedules fire, changed resources are announced, an index written by an
 * older analyser is rebuilt. Several processes may do so on one data folder.
 * @returns ends it; resolves when nothing of it runs any more
 */
export function startBackground(gateway: Gateway): () => Promise<void> {
  const { bus, clock, config, database: db, ids, log, searcher } = gateway
  const ending = new AbortController()
  const stopScheduler = startScheduler({ db, clock, timeZone: config.timeZone, log, holder: ids.uid() })
  const stopExternals = gateway.externals.start()
  const stopWatch = startResourceWatch({ db, bus, deviceId: config.deviceId, log })
  const refreshed = searcher.refresh(ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) log.warn({ err: error }, 'the search index was not refreshed')
  })
  return async () => {
    ending.abort()
    stopWatch()
    await stopExternals()
    await stopScheduler()
    await refreshed
  }
}

function externalsOf(
  own: readonly ServerDefinition[],
  { environment: given, isGateway, longLived }: GatewayOptions,
  ground: ExternalsGround,
): Externals {
  return openExternals({
    ...ground,
    environment: given ?? environment(),
    ownIds: namesOf(own),
    reserved: publicNamesOf(own),
    isGateway: isGateway === true,
    longLived: longLived !== false,
  })
}

/** What no external server may be called. */
function publicNamesOf(own: readonly ServerDefinition[]): ReadonlySet<string> {
  return new Set(
    own.flatMap(({ prefix, tools, prompts = [] }) => [
      ...tools.map(({ name }) => prefix + name),
      ...prompts.map(({ name }) => name),
    ]),
  )
}

/** One after the other, all of them whatever fails. @throws what failed first */
async function closeInTurn(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const closer of closers) await closer().catch((error: unknown) => void failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Counters that cannot be written are no reason to leave the database open. */
const lastAccess = (db: Database, log: JsonLog): Promise<void> =>
  flushAccess(db).catch((error: unknown) => log.warn({ err: error }, 'access counters of memories were not written'))

function searcherOf({ embeddings }: Config, db: Database, clock: Clock, log: JsonLog): Searcher {
  const warn = (message: string, detail: unknown): void => log.warn({ detail }, message)
  const semantic =
    embeddings === null
      ? {}
      : { semantic: createSemanticLeg({ db, spec: memoryIndex, config: embeddings, now: () => clock.now(), warn }) }
  return openSearcher({ db, indexes: [memoryIndex], warn, ...semantic })
}

/** A process that stays sweeps every day. */
function sweepOf(config: Config, clock: Clock, { longLived }: GatewayOptions): AuditSweepOptions {
  return { clock, keepDays: config.auditDays, ...(longLived === false ? {} : { everyMs: DAY_MS }) }
}

const subjectOf = ({ kind, tool }: EndEvent): string => (kind === 'tool' ? tool : `${kind} ${tool}`)

/** Who called what and how it ended; never what was said. */
function auditObserver(audit: AuditLog): PipelineObserver {
  return {
    id: 'audit',
    onEnd: (event) =>
      audit.record({
        at: event.at,
        caller: event.caller.id,
        callerKind: event.caller.kind,
        client: event.caller.client,
        session: event.session,
        server: event.server,
        // The name of a tool that does not exist is whatever the client sent.
        tool: event.outcome === 'unknown-tool' ? maskSecrets(event.tool) : subjectOf(event),
        effect: event.effect ?? 'unknown',
        outcome: event.code ?? event.outcome,
        bytes: event.bytes,
        durationMs: event.durationMs,
      }),
  }
}
