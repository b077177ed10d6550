// Checks of what is around the program: the port, the tokens, the AI clients, and what is not configured.
import { createServer } from 'node:net'
import { readClientFile } from '../../clients/config-file.ts'
import { clientFile, type Machine } from '../../clients/locate.ts'
import { aiClients } from '../../clients/table.ts'
import type { Config } from '../../config.ts'
import type { Gateway } from '../../gateway.ts'
import { localAddress } from '../connection.ts'
import { projectRoot } from '../launch.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const ANSWER_MS = 2_000

/** Free, held by a gateway, or held by something else. */
export async function checkPort({ host, port }: Config): Promise<Finding> {
  const address = localAddress(host, port)
  const health = await healthOf(address)
  if (health !== undefined) return ok('port', `a gateway answers at ${address}`)
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

export function checkTokens({ tokens }: Gateway): Finding {
  const live = tokens.list().filter(({ state }) => state === 'live')
  if (live.length === 0)
    return warn('tokens', 'there is no live local token, so no client can come in over HTTP', 'crow token create')
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

/** Which clients have an entry that leads here: our address, or a command line inside this installation. */
export async function checkClients(config: Config, machine: Machine): Promise<Finding> {
  const address = localAddress(config.host, config.port)
  const installation = JSON.stringify(projectRoot()).slice(1, -1)
  const connected: string[] = []
  for (const client of aiClients) {
    const path = clientFile(client, machine)
    const text = path === undefined ? undefined : await textOf(path)
    if (text !== undefined && (text.includes(address) || text.includes(installation))) connected.push(client.title)
  }
  if (connected.length > 0) return ok('clients', `connected: ${connected.join(', ')}`)
  return warn(
    'clients',
    'no AI client is connected by its configuration file',
    'crow mcp-config lists them and writes their files.',
  )
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readClientFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
