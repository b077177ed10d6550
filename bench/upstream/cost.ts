// What a proxied call costs the process in the middle, and how many it carries, beside others in one run. Run apart from the
// network where the system lets it: nobody here has anything to say to anybody but this machine.
import type { Row } from '../table.ts'
import { median } from '../http/load.ts'
import { undisturbed } from '../http/spend.ts'
import {
  arePeersThere,
  modernSide,
  peerVersion,
  sessionSide,
  sseSide,
  startGateway,
  startMcpHub,
  startMcpProxy,
  startRelay,
  untilReady,
  type Side,
} from './sides.ts'

const ROUNDS = 12
const REQUESTS = 3_000
const WARM_UP_REQUESTS = 4_000
/** The level at which throughput is compared. */
const CONCURRENCY = 16

const COST_RATIO_MAX = 0.4
const COST_US_MAX = 130
const THROUGHPUT_RATIO_MIN = 3

const NAMES = {
  relay: 'raw relay, 2025',
  proxy2025: 'mcp-proxy, 2025 session',
  proxy2026: 'mcp-proxy, 2026',
  hub: 'mcp-hub, SSE',
  ours2025: 'gateway, 2025 session',
  ours2026: 'gateway, 2026',
} as const

interface Figures {
  /** CPU of the process in the middle per call, microseconds. */
  readonly costs: number[]
  /** Calls per second. */
  readonly rates: number[]
}

/** @param bundle path of the bundled bench server */
export async function upstreamSection(bundle: string): Promise<Row[]> {
  if (!arePeersThere()) throw new Error('others are missing: npm ci --prefix bench')
  const [relay, proxy, modernProxy, hub, gateway] = [
    await startRelay(),
    await startMcpProxy(),
    await startMcpProxy(),
    await startMcpHub(),
    await startGateway(bundle),
  ]
  const token = (): Promise<string> => gateway.token()
  const sides: readonly Side[] = [
    sessionSide(NAMES.relay, relay, '/mcp', 'echo'),
    sessionSide(NAMES.proxy2025, proxy, '/mcp', 'echo'),
    modernSide(NAMES.proxy2026, modernProxy, '/mcp', 'echo'),
    sseSide(NAMES.hub, hub, '/mcp', 'everything__echo'),
    sessionSide(NAMES.ours2025, gateway, '/tools/mcp', 'everything_echo', token),
    modernSide(NAMES.ours2026, gateway, '/tools/mcp', 'everything_echo', token),
  ]
  try {
    return rowsOf(await measure(sides))
  } finally {
    await Promise.all([relay, proxy, modernProxy, hub, gateway].map(async (server) => await server.stop()))
  }
}

async function measure(sides: readonly Side[]): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map<string, Figures>(sides.map(({ name }) => [name, { costs: [], rates: [] }]))
  for (const side of sides) {
    await untilReady(side)
    const load = await side.ready()
    await load(CONCURRENCY, WARM_UP_REQUESTS)
  }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const side of sides) {
      const load = await side.ready()
      const before = side.server.cpuUs()
      const { errors, firstError, elapsedMs } = await load(CONCURRENCY, REQUESTS)
      if (errors > 0) throw new Error(`${side.name}: ${errors} answers were wrong, the first: ${firstError}`)
      figures.get(side.name)?.costs.push((side.server.cpuUs() - before) / REQUESTS)
      figures.get(side.name)?.rates.push((REQUESTS / elapsedMs) * 1_000)
    }
    if (round % 4 === 0) process.stderr.write(`upstream: round ${round} of ${ROUNDS}\n`)
  }
  return figures
}

function rowsOf(figures: ReadonlyMap<string, Figures>): Row[] {
  const costOf = (name: string): number => undisturbed(figures.get(name)?.costs ?? [])
  const rateOf = (name: string): number => median(figures.get(name)?.rates ?? [])
  const plain = [NAMES.relay, NAMES.proxy2025, NAMES.proxy2026, NAMES.hub].map((what): Row => {
    const by = what === NAMES.relay ? process.version : peerVersion()
    return { what: `${what} (Node ${by})`, value: `${costOf(what).toFixed(0)} µs, ${rateOf(what).toFixed(0)} calls/s` }
  })
  const ours = (what: string, proxy: string): Row[] => {
    const best = Math.min(costOf(proxy), costOf(NAMES.hub))
    const ratio = costOf(what) / best
    const times = rateOf(what) / Math.max(rateOf(proxy), rateOf(NAMES.hub))
    return [
      {
        what: `${what}: CPU per call`,
        value: `${costOf(what).toFixed(0)} µs, ${ratio.toFixed(2)}×`,
        bar: `≤ ${COST_RATIO_MAX}× the best, ≤ ${COST_US_MAX} µs`,
        ok: ratio <= COST_RATIO_MAX && costOf(what) <= COST_US_MAX,
      },
      {
        what: `${what}: throughput, c=${CONCURRENCY}`,
        value: `${rateOf(what).toFixed(0)} calls/s, ${times.toFixed(1)}×`,
        bar: `≥ ${THROUGHPUT_RATIO_MIN}× the better`,
        ok: times >= THROUGHPUT_RATIO_MIN,
      },
    ]
  }
  return [...plain, ...ours(NAMES.ours2025, NAMES.proxy2025), ...ours(NAMES.ours2026, NAMES.proxy2026)]
}
