// `crow serve`: the gateway over HTTP, from the first start of a fresh machine to its last answer.
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../app.ts'
import { type Config, loadConfig } from '../../config.ts'
import { DomainError, GatewayError } from '../../errors.ts'
import { settleOnceIdle } from '../../lib/settle.ts'
import type { NewToken } from '../../oauth/local-tokens.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { localAddress } from '../../lib/address.ts'
import { crowCommand, localUrl, mountPaths, portArguments, primaryServer } from '../connection.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { openLiveFeed } from '../live-feed.ts'
import type { Option } from '../options.ts'
import { liveAnswers } from '../live-questions.ts'
import { leaveInTime } from '../leaving.ts'
import { printConfig } from '../print-config.ts'
import { isAt, type Listening, runningGateways } from '../running.ts'
import { untilNpmIsGone, untilSignal } from '../signals.ts'
import type { Terminal } from '../terminal.ts'
import { welcome } from '../welcome.ts'

/** Name of the token that the first start makes. */
const FIRST_TOKEN = 'first'
/** How long the process may take to end by itself once everything is closed. */
const LEAVE_MS = 50

const options = {
  ...sharedOptions,
  port: { type: 'integer', value: 'N', min: 0, max: 65_535, help: 'port (PORT, 3001); 0 takes a free one' },
  host: { type: 'text', value: 'ADDRESS', help: 'address to listen on (CROW_GATEWAY_BIND, 127.0.0.1)' },
  'no-auth': { type: 'flag', help: 'ask for no token; on a loopback address only' },
  'print-config': { type: 'flag', help: 'print every setting and where it comes from, and end' },
} as const satisfies Record<string, Option>

export const serve = defineCommand({
  name: 'serve',
  usage: '[--port N] [--host ADDRESS] [--data-dir FOLDER]',
  summary: 'run the gateway over HTTP',
  options,
  notes: [
    'Ready when it prints "listening http://…" on stdout; logs go to stderr. SIGTERM or Ctrl-C ends it after open calls, a second one at once.',
  ],
  async run(terminal, { options: given }) {
    const overrides = { port: given.port, host: given.host, dataDir: given['data-dir'], noAuth: given['no-auth'] }
    if (given['print-config'] === true) return printConfig(terminal, overrides, given.json === true)
    const config = loadConfig(terminal.env, overrides)
    return await runGateway(terminal, config, given.json === true)
  },
})

async function runGateway(terminal: Terminal, config: Config, asJson: boolean): Promise<ExitCode> {
  const ended = new AbortController()
  const asked = Promise.race([untilSignal(ended.signal), untilNpmIsGone(terminal.env, ended.signal)])
  const app = await buildApp(config)
  try {
    await listen(app, config)
    const listening = listeningOf(app, config)
    const feed = await openLiveFeed(config.dataDir, app.catalog, process.pid, listening, liveAnswers(app.gateway))
    const firstToken = await firstTokenOf(app)
    announce(terminal, app, config, { firstToken, asJson })
    settleOnceIdle()
    await asked
    leaveInTime(app)
    await Promise.all([app.close(), feed?.close()])
    leaveBehind()
    return exitCodes.ok
  } finally {
    await app.close()
    ended.abort()
  }
}

/** Turns the ways a port can be refused into sentences. */
async function listen(app: FastifyInstance, config: Config): Promise<void> {
  const { host, port } = config
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const { code } = error
    const known = {
      EADDRINUSE: `port ${port} on ${host} is in use`,
      EACCES: `this user may not listen on port ${port}`,
      EADDRNOTAVAIL: `${host} is not an address of this machine`,
      ENOTFOUND: `${host} is not a known host name`,
    }[String(code)]
    const isSelf = code === 'EADDRINUSE' && (await runningGateways(config.dataDir)).some((one) => isAt(one, config))
    if (isSelf) throw runsAlready(config, error)
    const why = known ?? `${host} port ${port} cannot be listened on (${String(code)})`
    const hint =
      code === 'EADDRINUSE'
        ? 'End the program that holds it, or choose another with --port.'
        : 'Choose another with --port or --host.'
    throw new GatewayError('unavailable', 'LISTEN_FAILED', why, { hint, cause: error })
  }
}

function runsAlready({ host, port, dataDir }: Config, cause: Error): GatewayError {
  const why = `Crow runs on this data folder (${dataDir}) already, at ${localAddress(host, port)}`
  return new GatewayError('unavailable', 'LISTEN_FAILED', why, { hint: 'Use that one, or end it first.', cause })
}

/** A host name is announced as the address it stood for, which others can check to be this machine's. */
function listeningOf(app: FastifyInstance, config: Config): Listening {
  const bound = app.server.address()
  const isChecked = isIP(config.host) !== 0 || config.host === 'localhost'
  const host = isChecked || typeof bound === 'string' || bound === null ? config.host : bound.address
  return { host, port: boundPort(app, config) }
}

function boundPort(app: FastifyInstance, config: Config): number {
  const bound = app.server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : config.port
}

/** Makes the first token where there has never been one. Two processes that start together make one between them. */
async function firstTokenOf({ tokens }: Pick<FastifyInstance, 'tokens'>): Promise<NewToken | undefined> {
  if (tokens.list().length > 0) return undefined
  try {
    return await tokens.create({ name: FIRST_TOKEN })
  } catch (error) {
    if (error instanceof DomainError && error.code === 'TOKEN_NAME_TAKEN') return undefined
    throw error
  }
}

function announce(
  terminal: Terminal,
  app: FastifyInstance,
  config: Config,
  { firstToken, asJson }: { firstToken: NewToken | undefined; asJson: boolean },
): void {
  const port = boundPort(app, config)
  const address = localAddress(config.host, port)
  if (asJson) {
    const mounts = app.catalog.servers.map((server) => ({
      server: server.id,
      paths: mountPaths(server),
    }))
    terminal.out(
      JSON.stringify({ listening: address, dataDir: config.dataDir, mounts, firstStart: firstToken !== undefined }),
    )
    return
  }
  const primary = primaryServer(app.catalog.servers)
  const lines = welcome(terminal, {
    address,
    publicAddress: config.publicUrl?.href.replace(/\/+$/, ''),
    dataDir: config.dataDir,
    servers: app.catalog.servers,
    firstToken,
    connection: {
      name: 'crow',
      url: primary === undefined ? address : localUrl(config, port, primary),
      token: undefined,
      command: crowCommand(terminal, config, 'stdio', primary?.id ?? ''),
    },
    machine: {
      platform: process.platform,
      home: terminal.env['HOME'] ?? homedir(),
      cwd: process.cwd(),
      env: terminal.env,
    },
    hints: {
      connect: crowCommand(terminal, config, 'mcp-config', ...portArguments(port)),
      showToken: crowCommand(terminal, config, 'token', 'rotate', FIRST_TOKEN),
      setUp: app.operators.exists() ? undefined : crowCommand(terminal, config, 'operator', 'setup-code'),
    },
  })
  for (const line of lines) terminal.out(line)
  terminal.out(`listening ${address}`)
}

/** Everything is closed: a tool that goes on although it was told to stop does not keep the process. */
function leaveBehind(): void {
  setTimeout(() => process.exit(), LEAVE_MS).unref()
}
