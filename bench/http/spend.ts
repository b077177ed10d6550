// What requests cost a server process, whatever they ask.
import { percentile, runLoad } from './load.ts'
import type { Server } from './process.ts'

/** Enough that the server seldom waits: waking up would be counted as cost of both sides and flatter the ratio. */
const CONCURRENCY = 32

/** @returns CPU of the server per request, microseconds @throws when an answer is not a good result */
export async function spend(server: Server, requests: number, request: (id: number) => string): Promise<number> {
  const before = server.cpuUs()
  const { errors, firstError } = await runLoad({
    port: server.port,
    concurrency: CONCURRENCY,
    requests,
    request,
    isGood: ({ status, body }) => status === 200 && body.includes('"result"') && !body.includes('"isError":true'),
  })
  if (errors > 0) throw new Error(`${errors} answers were wrong, the first: ${firstError}`)
  return (server.cpuUs() - before) / requests
}

/** What a request costs when nothing disturbs it: the level that a fifth of the rounds stay below. */
export function undisturbed(rounds: readonly number[]): number {
  return percentile(
    rounds.toSorted((a, b) => a - b),
    0.2,
  )
}
