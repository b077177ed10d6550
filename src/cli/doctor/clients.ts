// Checks of the AI clients: whose file leads here, and whether the token in it opens the gateway.
import { readClientFile } from '../../clients/config-file.ts'
import { clientFile, type Machine } from '../../clients/locate.ts'
import { entriesOf } from '../../clients/merge.ts'
import { type AiClient, aiClients } from '../../clients/table.ts'
import type { Config } from '../../config.ts'
import { GatewayError } from '../../errors.ts'
import { secretIn } from '../client-token.ts'
import { localAddress } from '../connection.ts'
import { projectRoot } from '../launch.ts'
import { type CommandOf, type Finding, ok, warn } from './finding.ts'

/** A client with an entry that leads here: our address, or a command line inside this installation. */
export interface LinkedClient {
  readonly client: AiClient
  /** What its entries send; none when the client keeps the token elsewhere, or its file is not plain JSON. */
  readonly secrets: readonly string[]
}

export async function linkedClients(config: Config, machine: Machine): Promise<LinkedClient[]> {
  const marks = [`${localAddress(config.host, config.port)}/`, JSON.stringify(projectRoot()).slice(1, -1)]
  const leadsHere = (text: string): boolean => marks.some((mark) => text.includes(mark))
  const linked: LinkedClient[] = []
  for (const client of aiClients) {
    const path = clientFile(client, machine)
    const text = path === undefined ? undefined : await textOf(path)
    if (text === undefined || !leadsHere(text)) continue
    const ours = entriesIn(text, client).filter((entry) => leadsHere(JSON.stringify(entry)))
    linked.push({ client, secrets: ours.map(secretIn).filter((secret) => secret !== undefined) })
  }
  return linked
}

/** @param isDead whether a secret certainly does not open this gateway */
export function checkClients(
  linked: readonly LinkedClient[],
  isDead: (secret: string) => boolean,
  commandOf: CommandOf,
): Finding[] {
  const name = 'clients'
  const shutOut = linked.filter(({ secrets }) => secrets.some(isDead))
  const titles = linked.filter((one) => !shutOut.includes(one)).map(({ client }) => client.title)
  const warnings = shutOut.map(({ client }) =>
    warn(
      name,
      `the token in the file of ${client.title} is not a live one of this gateway`,
      commandOf('mcp-config', client.id, '--write'),
    ),
  )
  if (titles.length > 0) return [ok(name, `connected: ${titles.join(', ')}`), ...warnings]
  if (warnings.length > 0) return warnings
  const fix = `${commandOf('mcp-config')} lists them and writes their files.`
  return [warn(name, 'no AI client is connected by its configuration file', fix)]
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
