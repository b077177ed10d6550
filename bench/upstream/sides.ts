// Who is measured: the floor, the gateways of others that npm serves, and ours, each in front of the same external server.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Connection } from '../http/connection.ts'
import { runLoad, type LoadResult } from '../http/load.ts'
import { Server, temporaryFolder } from '../http/process.ts'
import {
  initializedNotification,
  initializeRequest,
  modernRequest,
  sessionRequest,
  type Target,
} from '../http/requests.ts'
import { echo, everything } from './everything.ts'
import { SseSession } from './sse-load.ts'

export interface Side {
  readonly name: string
  readonly server: Server
  /** Gets ready (token, session) outside of what is measured. @returns sends so many calls of the tool and checks every answer */
  ready(): Promise<(concurrency: number, requests: number) => Promise<LoadResult>>
}

const PEERS = 'bench/node_modules'

export function arePeersThere(): boolean {
  return existsSync(join(PEERS, 'mcp-proxy')) && existsSync(join(PEERS, 'mcp-hub'))
}

/** A port that was free a moment ago: others take no `0`. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

function isEcho({ status, body }: { status: number; body: string }): boolean {
  return status === 200 && body.includes('Echo: m') && !body.includes('"isError":true')
}

/** A principal of its own for every load keeps each of them below the shipped limits. */
type TokenOf = (() => Promise<string>) | undefined

export function modernSide(name: string, server: Server, path: string, tool: string, tokenOf?: TokenOf): Side {
  return {
    name,
    server,
    async ready() {
      const target: Target = { port: server.port, path, token: await tokenOf?.() }
      const request = (id: number): string => modernRequest(target, echo(tool, id))
      return (concurrency, requests) => runLoad({ port: server.port, concurrency, requests, request, isGood: isEcho })
    },
  }
}

export function sessionSide(name: string, server: Server, path: string, tool: string, tokenOf?: TokenOf): Side {
  return {
    name,
    server,
    async ready() {
      const target: Target = { port: server.port, path, token: await tokenOf?.() }
      const session = await openSession(target)
      const request = (id: number): string => sessionRequest(target, session, echo(tool, id))
      return (concurrency, requests) => runLoad({ port: server.port, concurrency, requests, request, isGood: isEcho })
    },
  }
}

async function openSession(target: Target): Promise<string> {
  const connection = await Connection.open(target.port)
  const { head } = await connection.send(initializeRequest(target))
  const session = /\r\nmcp-session-id: *([^\r\n]+)/i.exec(head)?.[1]
  if (session === undefined) throw new Error(`no session was opened: ${head}`)
  await connection.send(initializedNotification(target, session))
  connection.close()
  return session
}

export function sseSide(name: string, server: Server, path: string, tool: string): Side {
  return {
    name,
    server,
    async ready() {
      const session = await SseSession.open(server.port, path)
      return async (concurrency, requests) => {
        const calls = Array.from({ length: requests }, (_, index) => echo(tool, index + 1))
        const result = await session.load(concurrency, calls)
        session.close()
        return result
      }
    },
  }
}

/**
 * What others are run by: the Node of this machine, as their users have it, where there is one. Ours brings its own, as shipped.
 * `CROW_BENCH_PEER_NODE` names another.
 */
export const peerNode: string =
  process.env['CROW_BENCH_PEER_NODE'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file)) ??
  process.execPath

export const peerVersion = (): string => execFileSync(peerNode, ['--version'], { encoding: 'utf8' }).trim()

export const startRelay = (): Promise<Server> =>
  Server.start({ args: ['bench/upstream/relay.ts', ...everything], everyCore: true })

export async function startMcpProxy(): Promise<Server> {
  const port = await freePort()
  const program = join(PEERS, 'mcp-proxy/dist/bin/mcp-proxy.mjs')
  const options = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream']
  return await Server.start({
    args: [program, ...options, '--', ...everything],
    node: peerNode,
    listensAt: port,
    everyCore: true,
  })
}

export async function startMcpHub(): Promise<Server> {
  const port = await freePort()
  const folder = temporaryFolder()
  const config = join(folder, 'hub.json')
  const [command, ...args] = everything
  writeFileSync(config, JSON.stringify({ mcpServers: { everything: { command, args } } }))
  const program = join(PEERS, 'mcp-hub/dist/cli.js')
  return await Server.start({
    args: [program, '--port', String(port), '--config', config],
    env: { HOME: folder },
    node: peerNode,
    listensAt: port,
    everyCore: true,
  })
}

/** As shipped: doors, policy and audit on. @param bundle of the bench server */
export async function startGateway(bundle: string): Promise<Server> {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [command, ...args] = everything
  const file = join(folder, 'servers.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { everything: { command, args } } }), { mode: 0o600 })
  return await Server.start({
    args: [bundle],
    env: { CROW_DATA_DIR: folder, PORT: '0', HOME: tmpdir() },
    everyCore: true,
  })
}

const once = async (side: Side): Promise<LoadResult> => await (await side.ready())(1, 1)

/** Calls until the tool answers: a server behind a gateway starts when it likes. */
export async function untilReady(side: Side, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answered = await once(side).catch((error: unknown) => error)
    if (typeof answered === 'object' && answered !== null && 'errors' in answered && answered.errors === 0) return
    if (performance.now() > deadline) throw new Error(`${side.name} does not answer: ${JSON.stringify(answered)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
