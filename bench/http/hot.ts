// What a request costs the server: CPU per `tools/call` and `tools/list`, beside a bare Fastify route, in interleaved rounds.
import type { Row } from '../table.ts'
import { Connection } from './connection.ts'
import { median, percentile, runLoad } from './load.ts'
import { Server, temporaryFolder } from './process.ts'
import {
  initializedNotification,
  initializeRequest,
  modernRequest,
  type RpcCall,
  sessionRequest,
  type Target,
} from './requests.ts'

/** Many short rounds: most of them fall between the disturbances of a shared machine. */
const ROUNDS = 30
const REQUESTS = 2_000
const WARM_UP_REQUESTS = 12_000
/** Enough that the server seldom waits: waking up would be counted as cost of both sides and flatter the ratio. */
const CONCURRENCY = 32
/** The slow path needs fewer requests to be measured as well. */
const SLOW_DIVISOR = 6

const BEARER_US_MAX = 5

/**
 * The processes. `gateway` sees all kinds of traffic, as in life. `locked` and `open` see the same traffic as each other, with
 * and without bearer, so that they differ in nothing else.
 */
type Site = 'bare' | 'gateway' | 'locked' | 'open'

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
const WITH_BEARER = 'tools/call alone, with bearer'
const WITHOUT_BEARER = 'tools/call alone, without bearer'
const call = { path: '/bench/mcp', call: addTwo }
const memory = { path: '/memory/mcp', call: list }

const variants: readonly Variant[] = [
  { name: BARE, site: 'bare', ...call, dialect: 'modern' },
  { name: 'tools/call, 2026, hot', site: 'gateway', ...call, dialect: 'modern', ratioMax: 2 },
  { name: 'tools/call, 2025 session, hot', site: 'gateway', ...call, dialect: 'session', ratioMax: 2.2 },
  { name: 'tools/list of memory, 2026, hot', site: 'gateway', ...memory, dialect: 'modern', ratioMax: 2.5 },
  { name: 'tools/list of memory, 2025 session, hot', site: 'gateway', ...memory, dialect: 'session', ratioMax: 2.5 },
  { name: 'tools/call, 2026, SDK path', site: 'gateway', ...call, dialect: 'slow' },
  { name: WITH_BEARER, site: 'locked', ...call, dialect: 'modern' },
  { name: WITHOUT_BEARER, site: 'open', ...call, dialect: 'modern' },
]

/** @param bundle path of the bundled bench server */
export async function hotSection(bundle: string): Promise<Row[]> {
  const gateway = async (env: Record<string, string> = {}): Promise<Server> =>
    await Server.start({ args: [bundle], env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0', ...env } })
  const servers: Readonly<Record<Site, Server>> = {
    bare: await Server.start({ args: ['bench/http/bare.ts'] }),
    gateway: await gateway(),
    locked: await gateway(),
    open: await gateway({ CROW_NO_AUTH: '1' }),
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
  for (const variant of variants) await spend(servers[variant.site], variant, WARM_UP_REQUESTS)
  for (let round = 1; round <= ROUNDS; round++) {
    for (const variant of variants) {
      costs.get(variant.name)?.push(await spend(servers[variant.site], variant, REQUESTS))
    }
    if (round % 10 === 0) process.stderr.write(`http: round ${round} of ${ROUNDS}\n`)
  }
  return costs
}

async function spend(server: Server, variant: Variant, requestsAtMost: number): Promise<number> {
  const requests = variant.dialect === 'slow' ? Math.ceil(requestsAtMost / SLOW_DIVISOR) : requestsAtMost
  const request = await requester(server, variant)
  const before = server.cpuUs()
  const { errors, firstError } = await runLoad({
    port: server.port,
    concurrency: CONCURRENCY,
    requests,
    request,
    isGood: ({ status, body }) => status === 200 && body.includes('"result"') && !body.includes('"isError":true'),
  })
  if (errors > 0) throw new Error(`${variant.name}: ${errors} answers were wrong, the first: ${firstError}`)
  return (server.cpuUs() - before) / requests
}

/** A principal of its own for every round keeps each of them below the shipped limits. */
async function requester(server: Server, { site, path, call: rpc, dialect }: Variant): Promise<(id: number) => string> {
  const token = site === 'gateway' || site === 'locked' ? await server.token() : undefined
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

/** What a request costs when nothing disturbs it: the level that a fifth of the rounds stay below. */
function undisturbed(costs: Costs, name: string): number {
  const rounds = costs.get(name) ?? []
  return percentile(
    rounds.toSorted((a, b) => a - b),
    0.2,
  )
}

function rowsOf(costs: Costs): Row[] {
  const bare = undisturbed(costs, BARE)
  const rows = variants.map(({ name, ratioMax }): Row => {
    const cost = undisturbed(costs, name)
    const ratio = cost / bare
    return {
      what: name,
      value: `${cost.toFixed(1)} µs (median ${median(costs.get(name) ?? []).toFixed(1)}), ${ratio.toFixed(2)}×`,
      ...(ratioMax === undefined ? {} : { bar: `≤ ${ratioMax.toFixed(1)}×`, ok: ratio <= ratioMax }),
    }
  })
  const extra = undisturbed(costs, WITH_BEARER) - undisturbed(costs, WITHOUT_BEARER)
  const bearer = { what: 'bearer, warm', value: `${extra.toFixed(1)} µs more` }
  return [...rows, { ...bearer, bar: `≤ ${BEARER_US_MAX} µs`, ok: extra <= BEARER_US_MAX }]
}
