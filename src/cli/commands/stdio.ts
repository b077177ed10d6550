// `crow stdio`: one server over stdin and stdout, for clients that start a process. Works beside a running gateway.
import { loadConfig } from '../../config.ts'
import { openGateway, startBackground, type Gateway } from '../../gateway.ts'
import { serveStdioServer } from '../../mcp/stdio.ts'
import type { Caller } from '../../runtime/context.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { openLiveFeed } from '../live-feed.ts'
import { untilSignal } from '../signals.ts'
import { unknownServer } from '../unknown-server.ts'

/** Whoever starts the process owns the data folder, so it may do everything. */
const caller: Caller = Object.freeze({ id: 'stdio', kind: 'stdio', scopes: 'all' })

export const stdio = defineCommand({
  name: 'stdio',
  usage: 'SERVER [--data-dir FOLDER]',
  summary: 'serve one server over stdin and stdout, for clients that start a process',
  positionals: [1, 1],
  options: { 'data-dir': sharedOptions['data-dir'] },
  notes: ['stdout carries the protocol only, logs go to stderr. Ends when stdin is closed or on SIGTERM.'],
  async run(terminal, { options, positionals: [serverId = ''] }) {
    const config = loadConfig(terminal.env, { dataDir: options['data-dir'] })
    const gateway = await openGateway(config)
    const ended = new AbortController()
    const asked = new AbortController()
    void untilSignal(ended.signal).then(() => asked.abort())
    try {
      refuseUnknown(gateway, serverId)
      // Schedules fire here as well: this may be the only process on the data folder.
      const stopBackground = startBackground(gateway)
      const feed = await openLiveFeed(config.dataDir, gateway.catalog, process.pid, null)
      await serveStdioServer(gateway.catalog, serverId, {
        caller,
        eras: config.eras,
        signal: asked.signal,
        graceMs: config.shutdownDrainMs,
        onError: (error) => gateway.log.warn({ err: error }, 'stdio'),
      })
      await feed?.close()
      await stopBackground()
      return exitCodes.ok
    } finally {
      ended.abort()
      await gateway.close()
    }
  },
})

function refuseUnknown({ catalog }: Gateway, serverId: string): void {
  if (catalog.server(serverId) !== undefined) return
  throw unknownServer(
    serverId,
    catalog.servers.map(({ id }) => id),
  )
}
