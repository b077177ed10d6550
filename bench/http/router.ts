// What going through the router costs a call, beside its own mount: over HTTP in interleaved rounds, and in process.
import { compileCatalog } from '../../src/runtime/catalog.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { invoke, type Call } from '../../src/runtime/invoke.ts'
import { createToolIndex } from '../../src/search/tool-index.ts'
import { surface } from '../../test/fixtures/surface/index.ts'
import type { Row } from '../table.ts'
import { median } from './load.ts'
import { Server, temporaryFolder } from './process.ts'
import { modernRequest } from './requests.ts'
import { spend } from './spend.ts'

const ROUNDS = 60
const REQUESTS = 1_000
const WARM_UP_REQUESTS = 12_000
const RATIO_MAX = 1.15
/** The ratio is the lowest of this many runs of rounds: what the machine does beside only ever adds. */
const RUNS = 5

const IN_PROCESS_CALLS = 200_000
const IN_PROCESS_US_MAX = 5

/** @param bundle path of the bundled bench server */
export async function routerSection(bundle: string): Promise<Row[]> {
  const env = { CROW_DATA_DIR: temporaryFolder(), PORT: '0', CROW_LIMIT_PRINCIPAL: '1000000' }
  const server = await Server.start({ args: [bundle], env })
  try {
    return [await overHttp(server), inProcess()]
  } finally {
    await server.stop()
  }
}

async function overHttp(server: Server): Promise<Row> {
  const token = await server.token()
  const request = (path: string, params: (a: number) => Record<string, unknown>) => (id: number) =>
    modernRequest({ port: server.port, path, token }, { id, method: 'tools/call', params: params(id) })
  const direct = request('/bench/mcp', (a) => ({ name: 'add', arguments: { a, b: 2 } }))
  const routed = request('/router/mcp', (a) => ({
    name: 'crow_bench',
    arguments: { action: 'add', params: { a, b: 2 } },
  }))
  for (const side of [direct, routed]) await spend(server, WARM_UP_REQUESTS, side)
  const ratios: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS / RUNS; round++) {
      const first = round % 2 === 0
      const one = await spend(server, REQUESTS, first ? direct : routed)
      const two = await spend(server, REQUESTS, first ? routed : direct)
      rounds.push(first ? two / one : one / two)
    }
    ratios.push(median(rounds))
    process.stderr.write(`router: run ${run + 1} of ${RUNS}\n`)
  }
  const lowest = Math.min(...ratios)
  return {
    what: 'tools/call through the router, beside its own mount',
    value: `${lowest.toFixed(2)}× (runs ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
    bar: `≤ ${RATIO_MAX}×`,
    ok: lowest <= RATIO_MAX,
  }
}

function inProcess(): Row {
  const catalog = compileCatalog(surface, { availableNeeds: ['blobs'], router: { makeIndex: createToolIndex } })
  const direct = { caller: everyone, server: 'blog', tool: 'crow_get_post', params: { id: 1 } }
  const routed = { ...direct, server: 'router', tool: 'crow_blog', params: { action: 'get_post', params: { id: 1 } } }
  const time = (call: Call): number => {
    const before = performance.now()
    for (let made = 0; made < IN_PROCESS_CALLS; made++) void invoke(catalog, call)
    return ((performance.now() - before) * 1_000) / IN_PROCESS_CALLS
  }
  for (const call of [direct, routed]) time(call)
  const extra = Math.min(...Array.from({ length: RUNS }, () => -time(direct) + time(routed)))
  return {
    what: 'invoke through the router, beside its own server',
    value: `${extra.toFixed(2)} µs more`,
    bar: `≤ ${IN_PROCESS_US_MAX} µs`,
    ok: extra <= IN_PROCESS_US_MAX,
  }
}
