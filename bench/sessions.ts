// Clients that open sessions and never end them: how many are kept, what they cost, and how fast they come.
import { runLoad } from './http/load.ts'
import { Server, temporaryFolder } from './http/process.ts'
import { initializeRequest } from './http/requests.ts'
import type { Row } from './table.ts'

const SESSIONS = 5_000
const TOGETHER = 16
const CALLERS = 10
/** CROW_SESSION_MAX as shipped. */
const KEPT_MAX = 1_000
/** How often the same is done: the heap of V8 finds its size in the first times. */
const TIMES = 4
/** What the last time may add: the sessions of the times before have given way. */
const GROWN_MB_MAX = 20

/** @param bundle path of the bundled bench server */
export async function sessionsSection(bundle: string): Promise<Row[]> {
  const server = await Server.start({ args: [bundle], env: { CROW_DATA_DIR: temporaryFolder(), PORT: '0' } })
  try {
    const tokens: string[] = []
    for (let caller = 0; caller < CALLERS; caller++) tokens.push(await server.token())
    await openSessions(server, tokens, CALLERS)
    const before = server.rssMb()
    const { elapsedMs, errors } = await openSessions(server, tokens, SESSIONS)
    const kept = Number((await server.ask('sessions'))['sessions'])
    const sizes = [server.rssMb()]
    while (sizes.length < TIMES) {
      await openSessions(server, tokens, SESSIONS)
      sizes.push(server.rssMb())
    }
    const [beforeLast = 0, last = 0] = sizes.slice(-2)
    return [
      {
        what: `${SESSIONS.toLocaleString('en')} sessions opened, none ended`,
        value: `${kept} kept, ${errors} errors, ${((SESSIONS / elapsedMs) * 1000).toFixed(0)}/s`,
        bar: `≤ ${KEPT_MAX} kept, no error`,
        ok: kept <= KEPT_MAX && errors === 0,
      },
      {
        what: 'resident memory before, and after each time of the same',
        value: `${[before, ...sizes].map((mb) => mb.toFixed(0)).join(' → ')} MB`,
        bar: `the last time + ≤ ${GROWN_MB_MAX} MB`,
        ok: last - beforeLast <= GROWN_MB_MAX,
      },
    ]
  } finally {
    await server.stop()
  }
}

function openSessions(server: Server, tokens: readonly string[], requests: number) {
  return runLoad({
    port: server.port,
    concurrency: TOGETHER,
    requests,
    request: (number) =>
      initializeRequest({ port: server.port, path: '/memory/mcp', token: tokens[number % tokens.length] }),
    isGood: ({ status, body }) => status === 200 && body.includes('"protocolVersion"'),
  })
}
