// A hundred thousand memories over HTTP: how long one search and one store take, how many there can be, and what the event
// loop notices of them.
import { fillMemories } from './http/fill.ts'
import { type LoadResult, percentile, runLoad } from './http/load.ts'
import { Server, temporaryFolder } from './http/process.ts'
import { modernRequest } from './http/requests.ts'
import { benchMemories } from './memories.ts'
import queries from './queries.json' with { type: 'json' }
import type { Row } from './table.ts'

const MEMORIES = 100_000
/** Of another seed than the filling, so that most are new and some resemble what is there. */
const STORED_SEED = 2
const ALONE = 400
const TOGETHER = 16
const SEARCHES_TOGETHER = 3_000
const STORES_TOGETHER = 10_000

const SEARCH_P95_MS = 15
const STORE_P95_MS = 5
const SEARCHES_PER_S = 150
const STORES_PER_S = 500
const LOOP_P99_MS = 25

/** @param bundle path of the bundled bench server */
export async function memorySection(bundle: string): Promise<Row[]> {
  const dataDir = temporaryFolder()
  await fillMemories(dataDir, MEMORIES)
  const server = await Server.start({ args: [bundle], env: { CROW_DATA_DIR: dataDir, PORT: '0' }, everyCore: true })
  try {
    const search = await searcher(server)
    const store = await storer(server, ALONE * 2 + STORES_TOGETHER)
    await run(server, search, ALONE, 1)
    await run(server, store, ALONE, 1)
    const searchAlone = await run(server, search, ALONE, 1)
    const storeAlone = await run(server, store, ALONE, 1)
    const searchMany = await run(server, search, SEARCHES_TOGETHER, TOGETHER)
    const storeMany = await run(server, store, STORES_TOGETHER, TOGETHER)
    return [
      latencyRow('search, one at a time', searchAlone, SEARCH_P95_MS),
      latencyRow('store, one at a time', storeAlone, STORE_P95_MS),
      ...rateRows('searches', searchMany, SEARCHES_PER_S),
      ...rateRows('stores', storeMany, STORES_PER_S),
    ]
  } finally {
    await server.stop()
  }
}

type Request = (number: number) => string

async function searcher(server: Server): Promise<Request> {
  const token = await server.token()
  return (number) => {
    const query = queries[number % queries.length]
    const call = { id: number, method: 'tools/call', params: { name: 'crow_search_memories', arguments: { query } } }
    return modernRequest({ port: server.port, path: '/memory/mcp', token }, call)
  }
}

async function storer(server: Server, count: number): Promise<Request> {
  const token = await server.token()
  const fresh = [...benchMemories(count, STORED_SEED)]
  let next = 0
  return (number) => {
    const memory = fresh[next++ % fresh.length]
    const call = { id: number, method: 'tools/call', params: { name: 'crow_store_memory', arguments: memory } }
    return modernRequest({ port: server.port, path: '/memory/mcp', token }, call)
  }
}

interface Measured extends LoadResult {
  readonly loopP99Ms: number
  /** Of all threads of the server, per request. */
  readonly cpuMs: number
}

async function run(server: Server, request: Request, requests: number, concurrency: number): Promise<Measured> {
  await server.ask('delay')
  const cpuBeforeUs = server.cpuUs()
  const result = await runLoad({
    port: server.port,
    concurrency,
    requests,
    request,
    isGood: ({ status, body }) => status === 200 && body.includes('"result"') && !body.includes('"isError":true'),
  })
  if (result.firstError !== undefined) process.stderr.write(`memory: ${result.firstError}\n`)
  const cpuMs = (server.cpuUs() - cpuBeforeUs) / 1000 / requests
  const { delayP99Ms } = await server.ask('delay')
  process.stderr.write(`memory: ${requests} requests at ${concurrency}\n`)
  return { ...result, loopP99Ms: Number(delayP99Ms), cpuMs }
}

function latencyRow(what: string, { latencies, errors, cpuMs }: Measured, p95MsMax: number): Row {
  const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)]
  return {
    what: `${what}, of ${MEMORIES.toLocaleString('en')} memories`,
    value: `p95 ${p95.toFixed(1)} ms (p50 ${p50.toFixed(1)}, CPU ${cpuMs.toFixed(1)}), ${errors} errors`,
    bar: `p95 ≤ ${p95MsMax} ms`,
    ok: p95 <= p95MsMax && errors === 0,
  }
}

function rateRows(
  noun: string,
  { requests, elapsedMs, errors, loopP99Ms, latencies, cpuMs }: Measured,
  perSecondMin: number,
): Row[] {
  const perSecond = (requests / elapsedMs) * 1000
  return [
    {
      what: `${noun}, ${TOGETHER} at a time`,
      value: `${perSecond.toFixed(0)}/s, p95 ${percentile(latencies, 0.95).toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms, ${errors} errors`,
      bar: `≥ ${perSecondMin}/s, no error`,
      ok: perSecond >= perSecondMin && errors === 0,
    },
    {
      what: `event-loop delay meanwhile`,
      value: `p99 ${loopP99Ms.toFixed(1)} ms`,
      bar: `p99 ≤ ${LOOP_P99_MS} ms`,
      ok: loopP99Ms <= LOOP_P99_MS,
    },
  ]
}
