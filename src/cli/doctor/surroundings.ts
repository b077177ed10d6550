// Checks of what is around the program: the port, the tokens, and what is not configured.
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'
import type { Gateway } from '../../gateway.ts'
import { localAddress } from '../../lib/address.ts'
import { isAt, type Listening } from '../running.ts'
import { type CommandOf, type Finding, fail, ok, warn } from './finding.ts'

const ANSWER_MS = 2_000

/**
 * Free, held by a gateway, or held by something else.
 * @param running where gateways of this data folder listen
 */
export async function checkPort({ host, port }: Config, running: readonly Listening[]): Promise<Finding> {
  const address = localAddress(host, port)
  if ((await healthOf(address)) !== undefined) return answered(address, { host, port }, running)
  const code = await whyNotBound(host, port)
  if (code === undefined) return ok('port', `${port} on ${host} is free`)
  if (code === 'EADDRINUSE')
    return fail(
      'port',
      `${port} on ${host} is held by another program`,
      'End that program, or choose another port with PORT.',
    )
  return fail('port', `${port} on ${host} cannot be used (${code})`, 'Choose another with PORT or CROW_GATEWAY_BIND.')
}

function answered(address: string, place: Listening, running: readonly Listening[]): Finding {
  // Without Unix sockets a gateway cannot say whose it is.
  if (process.platform === 'win32') return ok('port', `a gateway answers at ${address}`)
  if (running.some((one) => isAt(one, place)))
    return ok('port', `the gateway of this data folder answers at ${address}`)
  const [ours] = running
  return warn(
    'port',
    `a gateway answers at ${address}, and it serves another data folder`,
    ours === undefined
      ? 'Choose another port with PORT, or name that data folder with --data-dir.'
      : `Leave --port away: the gateway of this data folder is at ${localAddress(ours.host, ours.port)}.`,
  )
}

async function healthOf(address: string): Promise<object | undefined> {
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'toolCounts' in body ? body : undefined
  } catch (error) {
    // Nobody there, no JSON, or too slow: not a gateway.
    if (error instanceof Error) return undefined
    throw error
  }
}

async function whyNotBound(host: string, port: number): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

export function checkTokens({ tokens }: Gateway, commandOf: CommandOf): Finding {
  const live = tokens.list().filter(({ state }) => state === 'live')
  if (live.length === 0)
    return warn(
      'tokens',
      'there is no live local token, so no client can come in over HTTP',
      commandOf('token', 'create'),
    )
  return ok('tokens', `live: ${live.map(({ name }) => name).join(', ')}`)
}

/** Servers that are declared but not mounted, and what each waits for. */
export function checkServers({ catalog }: Gateway): Finding[] {
  const missing = catalog.unavailable.map(({ id, missing: needs }) =>
    warn(
      'servers',
      `${id} is not mounted: it needs ${needs.join(', ')}`,
      'Configure it, or leave it: nothing else depends on it.',
    ),
  )
  return [ok('servers', catalog.servers.map(({ id }) => id).join(', ')), ...missing]
}
