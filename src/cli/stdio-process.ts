// One server over stdin and stdout, from the opening of the gateway to its end.
import { type Config, loadConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { openGateway, startBackground, type Gateway, type GatewayOptions } from '../gateway.ts'
import { serveStdioServer } from '../mcp/stdio.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { Caller } from '../runtime/context.ts'
import { withPlace } from '../runtime/client-place.ts'
import { activatable, noServer, serverNamed } from '../runtime/core/active.ts'
import { CORE, createCore } from '../runtime/core/core.ts'
import { withProfile } from '../runtime/profiles/profile.ts'
import { openActivations } from './core-activations.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { UsageError } from './options.ts'
import { openLiveFeed } from './live-feed.ts'
import { liveAnswers } from './live-questions.ts'
import { untilSignal } from './signals.ts'
import type { Terminal } from './terminal.ts'
import { unknownServer } from './unknown-server.ts'

/** Whoever starts the process owns the data folder, so it may do everything. */
const caller: Caller = Object.freeze({ id: 'stdio', kind: 'stdio', scopes: 'all' })

export interface StdioProcess {
  /** Id of a server, `router`, or `core`. */
  readonly serverId: string
  /** Wins over CROW_PROJECT_ID. */
  readonly project?: number | undefined
  /** The profile that the command line names. */
  readonly profile?: string | undefined
  readonly dataDir: string | undefined
}

/** @param options of the gateway, for what is served beside its own servers */
export async function serveStdioProcess(
  terminal: Pick<Terminal, 'env'>,
  { serverId, profile, project, dataDir }: StdioProcess,
  options: Pick<GatewayOptions, 'servers'> = {},
): Promise<ExitCode> {
  const config = loadConfig(terminal.env, { dataDir, projectId: project })
  const gateway = await openGateway(config, options)
  const ended = new AbortController()
  const asked = new AbortController()
  void untilSignal(ended.signal).then(() => asked.abort())
  try {
    const { catalog, onClient } = await servedBy(gateway, config, serverId)
    if (profile !== undefined) refuseProfile(gateway, catalog, serverId, profile)
    // Schedules fire here as well: this may be the only process on the data folder.
    const stopBackground = startBackground(gateway)
    const feed = await openLiveFeed(config.dataDir, gateway.catalog, process.pid, null, liveAnswers(gateway))
    await serveStdioServer(catalog, serverId, {
      // The device of this installation applies anyway.
      caller: withProfile(
        withPlace(caller, config.projectId === null ? undefined : { projectId: config.projectId }),
        profile,
      ),
      eras: config.eras,
      signal: asked.signal,
      graceMs: config.shutdownDrainMs,
      onClient,
      onError: (error) => gateway.log.warn({ err: error }, 'stdio'),
    })
    await feed?.close()
    await stopBackground()
    return exitCodes.ok
  } finally {
    ended.abort()
    await gateway.close()
  }
}

/** @throws UsageError, DomainError PROFILE_UNKNOWN */
function refuseProfile({ profiles }: Gateway, catalog: Catalog, serverId: string, profile: string): void {
  profiles.named(profile)
  if (catalog.server(serverId)?.profiled === undefined)
    throw new UsageError(`--profile is for router, which shows every server; ${serverId} lists its own tools`)
}

interface Served {
  readonly catalog: Catalog
  readonly onClient: (name: string) => void
}

/** `core` belongs to the process that serves it; everything else is in the catalog. @throws UsageError, ConfigError */
async function servedBy({ catalog, log }: Gateway, config: Config, serverId: string): Promise<Served> {
  if (serverId !== CORE) {
    if (catalog.server(serverId) !== undefined) return { catalog, onClient: () => undefined }
    throw unknownServer(serverId, [...catalog.servers.map(({ id }) => id), CORE])
  }
  const servers = activatable(catalog.servers)
  const { dataDir, defaultServer } = config
  if (serverNamed(servers, defaultServer) === undefined)
    throw new ConfigError([
      `CROW_DEFAULT_SERVER: ${noServer(servers, defaultServer)} Servers: ${servers.map(({ id }) => id).join(', ')}.`,
    ])
  const core = createCore(catalog, { defaultServer, store: await openActivations(dataDir, log) })
  return { catalog: core.catalog, onClient: core.greet }
}
