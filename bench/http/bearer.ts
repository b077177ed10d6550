// What a bearer costs once it is verified: CPU per `tools/call` with a token beside the same call without, in short rounds.
import { connect, newClient } from '../../test/plugins/oauth/client.ts'
import type { Row } from '../table.ts'
import { median } from './load.ts'
import { Server, temporaryFolder } from './process.ts'
import { modernRequest } from './requests.ts'
import { spend, undisturbed } from './spend.ts'

/** A bearer costs little beside the noise of a shared machine, so the rounds are many and short. */
const ROUNDS = 320
const REQUESTS = 400
const WARM_UP_REQUESTS = 12_000
/** A token is renewed before its caller has spent the shipped budget. */
const ROUNDS_PER_TOKEN = 160

const EXTRA_US_MAX = 5
const RATIO_MAX = 2

const PATH = '/bench/mcp'

interface Side {
  readonly name: string
  readonly server: Server
  readonly token?: () => Promise<string>
}

/** @param bundle path of the bundled bench server */
export async function bearerSection(bundle: string): Promise<Row[]> {
  const gateway = async (env: Record<string, string> = {}): Promise<Server> =>
    await Server.start({ args: [bundle], env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0', ...env } })
  // The budget of the one caller that nobody identifies is lifted: it is not what is measured.
  const open = { CROW_NO_AUTH: '1', CROW_LIMIT_PRINCIPAL: '1000000' }
  const [bare, none, local, granted] = [
    await Server.start({ args: ['bench/http/bare.ts'] }),
    await gateway(open),
    await gateway(),
    await gateway(),
  ]
  const sides: readonly Side[] = [
    { name: 'bare', server: bare },
    { name: 'no bearer', server: none },
    { name: 'local token', server: local, token: () => local.token() },
    { name: 'OAuth token', server: granted, token: () => grant(granted) },
  ]
  try {
    return rowsOf(await measure(sides))
  } finally {
    await Promise.all(sides.map(async ({ server }) => await server.stop()))
  }
}

/** Microseconds of server CPU per request, one figure a round. */
type Costs = ReadonlyMap<string, readonly number[]>

async function measure(sides: readonly Side[]): Promise<Costs> {
  const costs = new Map(sides.map(({ name }) => [name, new Array<number>()]))
  let requests = await renewed(sides)
  for (let round = 1; round <= ROUNDS; round++) {
    if (round % ROUNDS_PER_TOKEN === 0) requests = await renewed(sides)
    for (const side of shuffled(sides)) {
      const request = requests.get(side.name)
      if (request !== undefined) costs.get(side.name)?.push(await spend(side.server, REQUESTS, request))
    }
    if (round % 80 === 0) process.stderr.write(`bearer: round ${round} of ${ROUNDS}\n`)
  }
  return costs
}

/** Each finds the caches of the machine as the one before has left them, so nobody may always follow the same one. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}

/** The requests of each side, with a new token, verified. */
async function renewed(sides: readonly Side[]): Promise<ReadonlyMap<string, (id: number) => string>> {
  const requests = new Map<string, (id: number) => string>()
  for (const { name, server, token } of sides) {
    const target = { port: server.port, path: PATH, token: await token?.() }
    const request = (id: number): string =>
      modernRequest(target, { id, method: 'tools/call', params: { name: 'add', arguments: { a: id, b: 2 } } })
    await spend(server, WARM_UP_REQUESTS, request)
    requests.set(name, request)
  }
  return requests
}

/** A token that a client got the whole way: registered, logged in, consented to, redeemed. */
async function grant(server: Server): Promise<string> {
  await server.ask('password')
  const origin = `http://127.0.0.1:${server.port}`
  const { access } = await connect({ origin }, await newClient({ origin }), { at: { resource: origin + PATH } })
  return access
}

function rowsOf(costs: Costs): Row[] {
  const roundsOf = (name: string): readonly number[] => costs.get(name) ?? []
  const bare = undisturbed(roundsOf('bare'))
  const none = roundsOf('no bearer')
  return [...costs.keys()].flatMap((name): Row[] => {
    const rounds = roundsOf(name)
    const cost = undisturbed(rounds)
    const ratio = cost / bare
    const value = `${cost.toFixed(1)} µs (median ${median(rounds).toFixed(1)}), ${ratio.toFixed(2)}×`
    const row = { what: `tools/call, ${name}`, value, bar: `≤ ${RATIO_MAX.toFixed(1)}×`, ok: ratio <= RATIO_MAX }
    if (name === 'bare') return [{ what: 'bare Fastify JSON route', value }]
    if (name === 'no bearer') return [row]
    // Within a round, because the speed of a shared machine changes from one to the next by more than a bearer costs.
    const extra = median(rounds.map((each, round) => each - (none[round] ?? Number.NaN)))
    const more = { what: `${name}, warm, beside none`, value: `${extra.toFixed(1)} µs more` }
    return [row, { ...more, bar: `≤ ${EXTRA_US_MAX} µs`, ok: extra <= EXTRA_US_MAX }]
  })
}
