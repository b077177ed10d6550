// What a request costs the server: CPU per `tools/call` and `tools/list`, beside a bare Fastify route, in interleaved rounds.
import type { Row } from '../table.ts'
import { Connection } from './connection.ts'
import { median } from './load.ts'
import { Server, temporaryFolder } from './process.ts'
import {
  initializedNotification,
  initializeRequest,
  modernRequest,
  type RpcCall,
  sessionRequest,
  type Target,
} from './requests.ts'
import { spend, undisturbed } from './spend.ts'

/** Many short rounds: most of them fall between the disturbances of a shared machine. */
const ROUNDS = 30
const REQUESTS = 2_000
const WARM_UP_REQUESTS = 12_000
/** The slow path needs fewer requests to be measured as well. */
const SLOW_DIVISOR = 6

/** The processes. `gateway` sees all kinds of traffic, as in life. */
type Site = 'bare' | 'gateway'

interface Variant {
  readonly name: string
  readonly site: Site
  readonly path: string
  readonly call: (id: number) => RpcCall
  readonly dialect: 'modern' | 'session' | 'slow'
  /** Most that it may cost, in costs of the bare route. */
  readonly ratioMax?: number
}

const addTwo = (id: number): RpcCall => {
  const params = { name: 'add', arguments: { a: id, b: 2 } }
  return { id, method: 'tools/call', params }
}
const list = (id: number): RpcCall => ({ id, method: 'tools/list' })

const BARE = 'bare Fastify JSON route'
const call = { path: '/bench/mcp', call: addTwo }
const memory = { path: '/memory/mcp', call: list }

const variants: readonly Variant[] = [
  { name: BARE, site: 'bare', ...call, dialect: 'modern' },
  { name: 'tools/call, 2026, hot', site: 'gateway', ...call, dialect: 'modern', ratioMax: 2 },
  { name: 'tools/call, 2025 session, hot', site: 'gateway', ...call, dialect: 'session', ratioMax: 2.2 },
  { name: 'tools/list of memory, 2026, hot', site: 'gateway', ...memory, dialect: 'modern', ratioMax: 2.5 },
  { name: 'tools/list of memory, 2025 session, hot', site: 'gateway', ...memory, dialect: 'session', ratioMax: 2.5 },
  { name: 'tools/call, 2026, SDK path', site: 'gateway', ...call, dialect: 'slow' },
]

/** @param bundle path of the bundled bench server */
export async function hotSection(bundle: string): Promise<Row[]> {
  const servers: Readonly<Record<Site, Server>> = {
    bare: await Server.start({ args: ['bench/http/bare.ts'] }),
    gateway: await Server.start({ args: [bundle], env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0' } }),
  }
  try {
    return rowsOf(await measure(servers))
  } finally {
    await Promise.all(Object.values(servers).map(async (server) => await server.stop()))
  }
}

/** Microseconds of server CPU per request, one figure a round. */
type Costs = ReadonlyMap<string, readonly number[]>

/** Every variant once a round, so that a noisy spell hits all of them alike. */
async function measure(servers: Readonly<Record<Site, Server>>): Promise<Costs> {
  const costs = new Map(variants.map(({ name }) => [name, new Array<number>()]))
  for (const variant of variants) await cost(servers[variant.site], variant, WARM_UP_REQUESTS)
  for (let round = 1; round <= ROUNDS; round++) {
    for (const variant of variants) {
      costs.get(variant.name)?.push(await cost(servers[variant.site], variant, REQUESTS))
    }
    if (round % 10 === 0) process.stderr.write(`http: round ${round} of ${ROUNDS}\n`)
  }
  return costs
}

async function cost(server: Server, variant: Variant, requestsAtMost: number): Promise<number> {
  const requests = variant.dialect === 'slow' ? Math.ceil(requestsAtMost / SLOW_DIVISOR) : requestsAtMost
  return await spend(server, requests, await requester(server, variant))
}

/** A principal of its own for every round keeps each of them below the shipped limits. */
async function requester(server: Server, { site, path, call: rpc, dialect }: Variant): Promise<(id: number) => string> {
  const token = site === 'gateway' ? await server.token() : undefined
  const target: Target = { port: server.port, path, token }
  if (dialect === 'session') {
    const sessionId = await openSession(target)
    return (id) => sessionRequest(target, sessionId, rpc(id))
  }
  const meta = dialect === 'slow' ? { progressToken: 'p' } : {}
  return (id) => modernRequest(target, rpc(id), meta)
}

async function openSession(target: Target): Promise<string> {
  const connection = await Connection.open(target.port)
  const { head } = await connection.send(initializeRequest(target))
  const sessionId = /\r\nmcp-session-id: *([^\r\n]+)/i.exec(head)?.[1]
  if (sessionId === undefined) throw new Error(`no session was opened: ${head}`)
  await connection.send(initializedNotification(target, sessionId))
  connection.close()
  return sessionId
}

function rowsOf(costs: Costs): Row[] {
  const bare = undisturbed(costs.get(BARE) ?? [])
  return variants.map(({ name, ratioMax }): Row => {
    const rounds = costs.get(name) ?? []
    const ratio = undisturbed(rounds) / bare
    return {
      what: name,
      value: `${undisturbed(rounds).toFixed(1)} µs (median ${median(rounds).toFixed(1)}), ${ratio.toFixed(2)}×`,
      ...(ratioMax === undefined ? {} : { bar: `≤ ${ratioMax.toFixed(1)}×`, ok: ratio <= ratioMax }),
    }
  })
}
