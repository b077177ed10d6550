// Twenty external servers of which some hang and some crash: what they do to the start of the gateway, the first and the second one.
import { at, rpc } from '../../test/fixtures/rpc.ts'
import { median } from '../http/load.ts'
import type { Row } from '../table.ts'
import { eventually, Place } from './place.ts'

const HEALTHY = 15
const HANGING = 3
const CRASHING = 2
const TOOLS_EACH = 10
const STARTS = 5
const LISTENING_RATIO_MAX = 1.1
const COMPLETE_MS_MAX = 100
const HEALTHY_MS_MAX = 15_000

const tools = Array.from({ length: TOOLS_EACH }, (_, index) => `tool_${index}`)
const several = (count: number, kind: string, script: object): [string, object][] =>
  Array.from({ length: count }, (_, index) => [`${kind}-${index}`, script])

const TWENTY = Object.fromEntries([
  ...several(HANGING, 'hangs', { never: true }),
  ...several(CRASHING, 'crashes', { exit: { code: 1, stderr: 'ERR missing key' } }),
  ...several(HEALTHY, 'works', { onlyTools: tools }),
])

interface Measured {
  readonly listeningMs: number[]
  readonly emptyMs: number[]
  readonly firstMs: number[]
  readonly completeMs: number[]
  readonly counts: boolean[]
}

/** @param bundle of the bench server */
export async function twentyRows(bundle: string): Promise<Row[]> {
  const measured: Measured = { listeningMs: [], emptyMs: [], firstMs: [], completeMs: [], counts: [] }
  for (let start = 0; start < STARTS; start++) {
    const empty = new Place({})
    measured.emptyMs.push((await empty.start(bundle)).readyMs)
    await empty.stop()
    await startTwice(bundle, measured)
    process.stderr.write(`upstream: twenty servers ${start + 1} of ${STARTS}\n`)
  }
  return rowsOf(measured)
}

async function startTwice(bundle: string, measured: Measured): Promise<void> {
  const place = new Place(TWENTY)
  const first = await place.start(bundle)
  measured.listeningMs.push(first.readyMs)
  measured.firstMs.push(await eventually(() => isWhole(place), 'the healthy ones', { everyMs: 20 }))
  measured.counts.push(await isCounted(place))
  await place.stop()
  await place.start(bundle)
  const listening = performance.now()
  const complete = await isWhole(place)
  measured.completeMs.push(complete ? performance.now() - listening : Infinity)
  measured.counts.push(await isCounted(place))
  await place.stop()
}

const isWhole = async (place: Place): Promise<boolean> => (await place.names()).length === HEALTHY * TOOLS_EACH

/** Whether `/health` says of each how many tools it has, and of all. */
async function isCounted(place: Place): Promise<boolean> {
  const { messages } = await rpc(place.to, { path: '/health', method: 'GET' })
  const servers: unknown = at(messages[0], 'externalServers')
  const counts = (Array.isArray(servers) ? servers : []).map((server) => at(server, 'tools'))
  const right = counts.filter((count) => count === TOOLS_EACH).length
  const total = at(messages[0], 'toolCounts.external')
  return counts.length === HEALTHY + HANGING + CRASHING && right === HEALTHY && total === HEALTHY * TOOLS_EACH
}

function rowsOf({ listeningMs, emptyMs, firstMs, completeMs, counts }: Measured): Row[] {
  const ratio = median(listeningMs) / median(emptyMs)
  const first = Math.max(...firstMs)
  const complete = Math.max(...completeMs)
  const wrong = counts.filter((isRight) => !isRight).length
  return [
    {
      what: `until listening with ${HEALTHY + HANGING + CRASHING} servers, ${HANGING} that hang, ${CRASHING} that crash`,
      value: `${median(listeningMs).toFixed(0)} ms, ${ratio.toFixed(2)}× of none`,
      bar: `≤ ${LISTENING_RATIO_MAX}×`,
      ok: ratio <= LISTENING_RATIO_MAX,
    },
    {
      what: 'first start: all healthy ones listed, health counts',
      value: `${(first / 1_000).toFixed(1)} s at most, ${wrong} wrong counts`,
      bar: `≤ ${HEALTHY_MS_MAX / 1_000} s, 0`,
      ok: first <= HEALTHY_MS_MAX && wrong === 0,
    },
    {
      what: 'second start: whole list after listening',
      value: `${complete.toFixed(0)} ms at most`,
      bar: `≤ ${COMPLETE_MS_MAX} ms`,
      ok: complete <= COMPLETE_MS_MAX,
    },
  ]
}
