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
const WARM_UP_REQUESTS = 6_000
const CONCURRENCY = 8

const BARE = 'bare Fastify JSON route'
const HOT = 'tools/call, 2026, hot'
const HOT_OPEN = 'tools/call, 2026, hot, without bearer'

interface Variant {
  readonly name: string
  readonly server: Server
  /** Divides REQUESTS: a slow path needs no more to be measured as well. */
  readonly divisor: number
  /** Called before each round; a principal of its own keeps every round below the shipped limits. */
  prepare(): Promise<(id: number) => string>
}

const addTwo = (id: number): RpcCall => ({
  id,
  method: 'tools/call',
  params: { name: 'add', arguments: { a: id, b: 2 } },
})
const list = (id: number): RpcCall => ({ id, method: 'tools/list' })

/** @param bundle path of the bundled bench server */
export async function hotSection(bundle: string): Promise<Row[]> {
  const bare = await Server.start({ args: ['bench/http/bare.ts'] })
  const locked = await Server.start({ args: [bundle], env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0' } })
  const open = await Server.start({
    args: [bundle],
    env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0', CROW_NO_AUTH: '1' },
  })
  try {
    return rowsOf(await measure(variantsOf(bare, locked, open)))
  } finally {
    await Promise.all([bare.stop(), locked.stop(), open.stop()])
  }
}

function variantsOf(bare: Server, locked: Server, open: Server): Variant[] {
  const target = async (server: Server, path: string): Promise<Target> => ({
    port: server.port,
    path,
    token: server === locked ? await locked.token() : undefined,
  })
  const modern = async (server: Server, path: string, call: (id: number) => RpcCall, meta = {}) => {
    const to = await target(server, path)
    return (id: number): string => modernRequest(to, call(id), meta)
  }
  const session = async (server: Server, path: string, call: (id: number) => RpcCall) => {
    const to = await target(server, path)
    const sessionId = await openSession(to)
    return (id: number): string => sessionRequest(to, sessionId, call(id))
  }
  const one = { divisor: 1 }
  return [
    {
      ...one,
      name: BARE,
      server: bare,
      prepare: async () => await modern(bare, '/bench/mcp', addTwo),
    },
    {
      ...one,
      name: HOT,
      server: locked,
      prepare: async () => await modern(locked, '/bench/mcp', addTwo),
    },
    {
      ...one,
      name: 'tools/call, 2025 session, hot',
      server: locked,
      prepare: async () => await session(locked, '/bench/mcp', addTwo),
    },
    {
      ...one,
      name: 'tools/list of memory, 2026, hot',
      server: locked,
      prepare: async () => await modern(locked, '/memory/mcp', list),
    },
    {
      ...one,
      name: 'tools/list of memory, 2025 session, hot',
      server: locked,
      prepare: async () => await session(locked, '/memory/mcp', list),
    },
    {
      ...one,
      name: HOT_OPEN,
      server: open,
      prepare: async () => await modern(open, '/bench/mcp', addTwo),
    },
    {
      name: 'tools/call, 2026, SDK path',
      divisor: 6,
      server: locked,
      prepare: async () => await modern(locked, '/bench/mcp', addTwo, { progressToken: 'p' }),
    },
  ]
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

interface Cost {
  readonly name: string
  /** One per round, microseconds of server CPU per request. */
  readonly cpuUs: readonly number[]
}

/** Every variant once a round, so that a noisy spell hits all of them alike. */
async function measure(variants: readonly Variant[]): Promise<Cost[]> {
  const samples = new Map(variants.map(({ name }) => [name, new Array<number>()]))
  for (const variant of variants) await spend(variant, WARM_UP_REQUESTS / variant.divisor)
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of variants) samples.get(variant.name)?.push(await spend(variant, REQUESTS / variant.divisor))
    if ((round + 1) % 10 === 0) process.stderr.write(`http: round ${round + 1} of ${ROUNDS}\n`)
  }
  return [...samples].map(([name, cpuUs]) => ({ name, cpuUs }))
}

async function spend(variant: Variant, requests: number): Promise<number> {
  const { name, server } = variant
  const request = await variant.prepare()
  const before = server.cpuUs()
  const { errors, firstError } = await runLoad({
    port: server.port,
    concurrency: CONCURRENCY,
    requests,
    request,
    isGood: ({ status, body }) => status === 200 && body.includes('"result"') && !body.includes('"isError":true'),
  })
  if (errors > 0) throw new Error(`${name}: ${errors} answers were wrong, the first: ${firstError}`)
  return (server.cpuUs() - before) / requests
}

const BARS: Readonly<Record<string, number>> = {
  [HOT]: 2,
  'tools/call, 2025 session, hot': 2.2,
  'tools/list of memory, 2026, hot': 2.5,
}

const BEARER_US_MAX = 5

/** What a request costs when nothing disturbs it: the level that a fifth of the rounds stay below. */
function undisturbed(cpuUs: readonly number[]): number {
  return percentile(
    cpuUs.toSorted((a, b) => a - b),
    0.2,
  )
}

function rowsOf(costs: readonly Cost[]): Row[] {
  const costOf = (name: string): number => undisturbed(costs.find((cost) => cost.name === name)?.cpuUs ?? [])
  const bare = costOf(BARE)
  const rows = costs.map(({ name, cpuUs }): Row => {
    const ratio = costOf(name) / bare
    const bar = BARS[name]
    return {
      what: name,
      value: `${costOf(name).toFixed(1)} µs (median ${median(cpuUs).toFixed(1)}), ${ratio.toFixed(2)}×`,
      ...(bar === undefined ? {} : { bar: `≤ ${bar.toFixed(1)}×`, ok: ratio <= bar }),
    }
  })
  const extra = costOf(HOT) - costOf(HOT_OPEN)
  const bearer = { what: 'bearer, warm', value: `${extra.toFixed(1)} µs more` }
  return [...rows, { ...bearer, bar: `≤ ${BEARER_US_MAX} µs`, ok: extra <= BEARER_US_MAX }]
}
