// The external servers of one process: what is configured, who looks after them, and the source that the catalog serves. The
// gateway looks after them itself. Other processes on its data folder call through it while it lives, and look after them
// themselves, one process at a time, while it does not.
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { RawEnvironment } from '../config/read.ts'
import type { Database } from '../db/client.ts'
import { onForeignChange } from '../db/foreign-change.ts'
import type { JsonLog } from '../lib/log.ts'
import type { ChangeBus } from '../runtime/bus.ts'
import type { Clock, Ids } from '../runtime/context.ts'
import type { ToolSource } from '../runtime/source.ts'
import type { SecretStore } from '../secrets/store.ts'
import type { Vault } from '../secrets/vault.ts'
import { childRegister, endOrphans } from '../upstream/children.ts'
import { createHub, type Hub } from '../upstream/hub.ts'
import { openRegistry, type Registry } from '../upstream/registry.ts'
import { SERVERS_FILE } from '../upstream/servers-file.ts'
import { Custody } from './custody.ts'
import { openLinkWith } from './open-link.ts'
import { sharedSource, Through } from './through.ts'

/** What everything of the process stands on. */
export interface ExternalsGround {
  readonly config: Config
  readonly database: Database
  readonly secrets: SecretStore
  readonly vault: Vault
  readonly clock: Clock
  readonly ids: Ids
  readonly log: JsonLog
  readonly bus: ChangeBus
}

/** How soon a list that another process has learnt is heard of here. A look costs a few microseconds. */
const LOOK_MS = 50

export interface ExternalsOptions extends ExternalsGround {
  readonly environment: RawEnvironment
  /** Ids and other names of the gateway's own servers. */
  readonly ownIds: readonly string[]
  /** Public names of the gateway's own tools and prompts. */
  readonly reserved: ReadonlySet<string>
  /** Whether this is the process that others call through. */
  readonly isGateway: boolean
  readonly longLived: boolean
}

export interface Externals {
  /** What the catalog serves. */
  readonly source: ToolSource
  readonly logs: Hub['logs']
  /** Follows `servers.json`, and gets to know what is not known yet. @returns ends that */
  start(): () => Promise<void>
  /** For a process that does one thing and ends: resolves when the lists are as whole as they can be. */
  known(): Promise<void>
  /** Ends every child and connection. */
  close(): Promise<void>
}

export function openExternals(options: ExternalsOptions): Externals {
  const { bus, clock, config, database, ids, isGateway, log, longLived } = options
  const register = childRegister(config.dataDir, (error) => log.warn({ err: error }, 'a child cannot be written down'))
  const registry = registryOf(options)
  const through = new Through(config.dataDir, log, (uri) => bus.emit({ kind: 'resource', uri }))
  const custody = isGateway
    ? undefined
    : new Custody({
        database,
        clock,
        log,
        holder: ids.uid(),
        prepare: () => endLeft(options),
        isElsewhere: () => through.gateway !== undefined,
        handOver: () => void hub.rest(),
      })
  const mayStart = (): boolean => custody === undefined || (custody.isHeld && through.gateway === undefined)
  const hub = createHub({
    specs: registry.current(),
    open: openLinkWith(options.environment, register),
    database,
    clock,
    ids,
    log,
    bus,
    reserved: options.reserved,
    mayStart,
    isKeptElsewhere: () => custody !== undefined && through.gateway !== undefined,
  })
  const off = registry.onChange((specs) => {
    hub
      .apply(specs)
      .catch((error: unknown) => log.warn({ err: error }, 'an external server that was taken away did not end well'))
  })
  return {
    source: custody === undefined ? hub.source : sharedSource(hub.source, { through, custody }),
    logs: (id) => hub.logs(id),
    start() {
      // Whoever looks after them knows more than what is written down.
      const follow = (): void => (mayStart() ? undefined : hub.reload())
      const unwatch = isGateway || !longLived ? () => undefined : onForeignChange(database, follow, LOOK_MS)
      const started = begin(options, { hub, custody, through })
      return async () => {
        unwatch()
        await started
      }
    },
    async known() {
      // What a gateway knows stands in the database.
      if (through.gateway !== undefined || (custody !== undefined && !(await custody.take()))) return
      hub.start()
      await hub.settled()
    },
    async close() {
      off()
      await registry.close()
      await Promise.all([hub.close(), through.close()])
      await custody?.release()
    },
  }
}

const UNHEARD = Object.freeze({ info: () => undefined, warn: () => undefined })

interface Parts {
  readonly hub: Hub
  readonly custody: Custody | undefined
  readonly through: Through
}

/** Never rejects. */
async function begin(options: ExternalsOptions, { hub, custody, through }: Parts): Promise<void> {
  try {
    if (custody === undefined) await endLeft(options)
    else if (through.gateway !== undefined || !(await custody.take())) return
  } catch (error) {
    options.log.warn({ err: error }, 'the lease of the external servers could not be taken')
    return
  }
  hub.start()
}

/** What processes that are no more have left running. Never rejects. */
async function endLeft({ config, log }: ExternalsOptions): Promise<void> {
  try {
    for (const { command, group, ended } of await endOrphans(config.dataDir))
      log.warn({ command, group, ended }, 'an earlier process had left an external server running')
  } catch (error) {
    log.warn({ err: error }, 'external servers of earlier processes could not be looked for')
  }
}

function registryOf({ config, environment, log, longLived, ownIds, secrets, vault }: ExternalsOptions): Registry {
  return openRegistry({
    file: join(config.dataDir, SERVERS_FILE),
    environment,
    secrets,
    key: vault.derive('upstream'),
    ownIds,
    self: { ports: () => [config.port], publicUrl: config.publicUrl },
    // A command says itself what is wrong, where that is asked for.
    log: longLived ? log : UNHEARD,
    ...(longLived ? {} : { everyMs: 0 }),
  })
}
