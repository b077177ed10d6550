// Checks of the AI clients: whose file leads here, and whether the token in it opens the gateway.
import { resolve } from 'node:path'
import { readClientFile } from '../../clients/config-file.ts'
import { clientFile, type Machine } from '../../clients/locate.ts'
import { entriesOf } from '../../clients/merge.ts'
import { type AiClient, aiClients } from '../../clients/table.ts'
import type { Config } from '../../config.ts'
import { GatewayError } from '../../errors.ts'
import { secretIn } from '../client-token.ts'
import { localAddress } from '../../lib/address.ts'
import { type Lead, leadOf, plainUrl } from '../entry-lead.ts'
import { type CommandOf, type Finding, ok, warn } from './finding.ts'

/** A client with entries that lead to this gateway: to its address, or over stdio to its data folder. */
export interface LinkedClient {
  readonly client: AiClient
  /** What its entries send; none when the client keeps the token elsewhere. */
  readonly secrets: readonly string[]
  /** Variables from which its entries take the token, and which are not set here. */
  readonly unset: readonly string[]
  /** Whether it starts a process of its own, and needs no running gateway. */
  readonly isAlone: boolean
}

/** @param usualDir data folder of an entry that names none */
export async function linkedClients(config: Config, machine: Machine, usualDir: string): Promise<LinkedClient[]> {
  const linked: LinkedClient[] = []
  for (const client of aiClients) {
    const texts = await Promise.all(filesOf(client, machine).map(textOf))
    const ours = texts
      .flatMap((text) => (text === undefined ? [] : entriesIn(text, client)))
      .filter((entry) => leadsHere(leadOf(entry), config, usualDir))
    if (ours.length === 0) continue
    const variables = ours.map(variableIn).filter((name) => name !== undefined)
    const values = variables.map((name) => machine.env[name] || undefined)
    linked.push({
      client,
      secrets: [...ours.map(secretIn), ...values].filter((secret) => secret !== undefined),
      unset: variables.filter((_, at) => values[at] === undefined),
      isAlone: ours.some((entry) => leadOf(entry).kind === 'stdio'),
    })
  }
  return linked
}

function filesOf(client: AiClient, machine: Machine): string[] {
  const files = [client.file, ...(client.ownFile === undefined ? [] : [client.ownFile])]
  return files.map((file) => clientFile({ ...client, file }, machine)).filter((path) => path !== undefined)
}

function leadsHere(lead: Lead, { host, port, dataDir }: Config, usualDir: string): boolean {
  if (lead.kind === 'http') return `${lead.url}/`.startsWith(`${plainUrl(localAddress(host, port))}/`)
  return lead.kind === 'stdio' && resolve(lead.dataDir ?? usualDir) === dataDir
}

/** The environment variable that stands for the token of an entry. */
function variableIn(entry: Readonly<Record<string, unknown>>): string | undefined {
  return /Bearer \$\{(?:env:)?(\w+)\}/.exec(JSON.stringify(entry['headers'] ?? null))?.[1]
}

/**
 * @param isDead whether a secret certainly does not open this gateway
 * @param isRunning whether a gateway runs on this data folder now
 */
export function checkClients(
  linked: readonly LinkedClient[],
  isDead: (secret: string) => boolean,
  isRunning: boolean,
  commandOf: CommandOf,
): Finding[] {
  const name = 'clients'
  const shutOut = linked.filter(({ secrets }) => secrets.some(isDead))
  const tokenless = linked.filter((one) => one.unset.length > 0 && !shutOut.includes(one))
  const good = linked.filter((one) => !shutOut.includes(one) && !tokenless.includes(one))
  const waiting = good.filter(({ isAlone }) => !isAlone && !isRunning)
  const connected = good.filter((one) => !waiting.includes(one))
  const oks = [
    ...(connected.length === 0 ? [] : [ok(name, `connected: ${titles(connected)}`)]),
    ...(waiting.length === 0 ? [] : [ok(name, `set up, and connected once a gateway runs: ${titles(waiting)}`)]),
  ]
  const warnings = [
    ...shutOut.map(({ client }) => shutOutOf(client, commandOf)),
    ...tokenless.map(({ client, unset }) =>
      warn(
        name,
        `${client.title} takes its token from ${unset.join(', ')}, which is not set here`,
        `Set it where ${client.title} starts, to the token that this shows: ${commandOf('token', 'create')}`,
      ),
    ),
  ]
  if (oks.length + warnings.length > 0) return [...oks, ...warnings]
  const fix = `${commandOf('mcp-config')} lists them and writes their files.`
  return [warn(name, 'no AI client is connected to this data folder by its configuration file', fix)]
}

function titles(linked: readonly LinkedClient[]): string {
  return linked.map(({ client }) => client.title).join(', ')
}

function shutOutOf(client: AiClient, commandOf: CommandOf): Finding {
  const fix =
    client.http?.secret === 'file'
      ? commandOf('mcp-config', client.id, '--write', '--force')
      : `Give it the token that this shows: ${commandOf('token', 'create')}`
  return warn('clients', `the token of ${client.title} is not a live one of this gateway`, fix)
}

function entriesIn(text: string, client: AiClient) {
  try {
    return entriesOf(text, client)
  } catch (error) {
    if (error instanceof GatewayError) return []
    throw error
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readClientFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
