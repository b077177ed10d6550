// `crow servers import`: takes over the servers that an AI client has, so that every client has them.
import { plainJson } from '../../clients/json-comments.ts'
import { readClientFile } from '../../clients/config-file.ts'
import { clientFile } from '../../clients/locate.ts'
import { type AiClient, aiClients } from '../../clients/table.ts'
import { GatewayError } from '../../errors.ts'
import { isRecord } from '../../lib/json.ts'
import { nearest } from '../../lib/nearest.ts'
import type { Raw } from '../../upstream/entry-fields.ts'
import { idLike, namesOf, whyNoId } from '../../upstream/source-id.ts'
import { servers } from '../../servers/index.ts'
import { machineOf } from '../client-link.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { leadOf } from '../entry-lead.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../options.ts'
import { agreed, consentIn, consentOptions } from '../servers/agreement.ts'
import { sealedEntry } from '../servers/draft.ts'
import { changeServers, type Place, recordChange, sealSecrets, writeEntry } from '../servers/place.ts'
import { absolutePath, configOf } from '../setup.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'

export const serversImport = defineCommand({
  name: 'servers import',
  usage: 'CLIENT [--file PATH] [--yes] [--json]',
  summary: 'add the servers that an AI client has, each after a question',
  positionals: [1, 1],
  options: {
    ...sharedOptions,
    file: { type: 'text', value: 'PATH', help: "another file than the client's usual one" },
    yes: consentOptions.yes,
  },
  notes: [
    `Clients: ${aiClients.map(({ id }) => id).join(', ')}. Their files are only read. What is there already stays, and what leads to Crow itself is left out.`,
  ],
  async run(terminal, { options, positionals: [name = ''] }) {
    const client = clientOf(name)
    const found = await serversOf(terminal, client, options.file)
    const results = await changeServers(terminal, configOf(terminal, options), async (place, gateway) => {
      const done: Result[] = []
      for (const [title, raw] of found) {
        const id = idLike(title)
        const isTwice = done.some((one) => one.added && one.id === id)
        const why = isTwice ? THERE : whyLeftOut(place, id, raw)
        const skipped = why ?? (await take(terminal, place, { id, raw: importable(raw), gateway }, consentIn(options)))
        done.push({ id: visible(why === undefined ? id : title), added: skipped === undefined, why: skipped ?? null })
      }
      return done
    })
    if (options.json === true) terminal.out(JSON.stringify(results))
    else for (const line of results.map(lineOf)) terminal.out(line)
    if (results.length === 0 && options.json !== true) terminal.out(`${client.title} has no server.`)
    return exitCodes.ok
  },
})

const THERE = 'there is one of this id already'

interface Result {
  readonly id: string
  readonly added: boolean
  readonly why: string | null
}

const lineOf = ({ id, why }: Result): string => (why === null ? `${id} is added.` : `${id} is left out: ${why}`)

function clientOf(name: string): AiClient {
  const client = aiClients.find(({ id }) => id === name)
  if (client !== undefined) return client
  const ids = aiClients.map(({ id }) => id)
  const near = nearest(name, ids)
  throw new UsageError(
    `there is no client ${JSON.stringify(visible(name))}${near === undefined ? '' : `; did you mean ${near}?`}`,
  )
}

/** What stands in the client's file, and in the one that it keeps for itself. */
async function serversOf(terminal: Terminal, client: AiClient, file: string | undefined): Promise<[string, Raw][]> {
  const machine = machineOf(terminal)
  const own = client.ownFile === undefined ? [] : [{ ...client, file: client.ownFile }]
  const usual = [client, ...own].map((one) => clientFile(one, machine))
  const paths = file === undefined ? usual.filter((path) => path !== undefined) : [absolutePath(file)]
  const all = await Promise.all(paths.map(async (path) => entriesIn(client, await readClientFile(path))))
  return [...new Map(all.flat())]
}

function entriesIn({ title, key }: AiClient, text = ''): [string, Raw][] {
  const json = plainJson(text)
  if (json.trim() === '') return []
  try {
    const parsed: unknown = JSON.parse(json)
    const entries = isRecord(parsed) ? parsed[key] : undefined
    return isRecord(entries) ? Object.entries(entries).filter((pair): pair is [string, Raw] => isRecord(pair[1])) : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new GatewayError('conflict', 'CLIENT_CONFIG_UNREADABLE', `the configuration file of ${title} is not JSON`)
  }
}

function whyLeftOut({ entries }: Place, id: string, raw: Raw): string | undefined {
  if (leadOf(raw).kind === 'stdio') return 'it is Crow itself'
  const why = whyNoId(id, namesOf(servers))
  if (why !== undefined) return `its name ${why}`
  return entries.has(id) ? THERE : undefined
}

/** Consent that was given in the client is not taken over. */
function importable({ alwaysAllow: _allowed, autoApprove: _approved, trust: _trust, ...raw }: Raw): Raw {
  return raw
}

interface Taken {
  readonly id: string
  readonly raw: Raw
  readonly gateway: Parameters<Parameters<typeof changeServers>[2]>[1]
}

/** @returns why it was left out */
async function take(
  terminal: Terminal,
  place: Place,
  { id, raw, gateway }: Taken,
  consent: ReturnType<typeof consentIn>,
): Promise<string | undefined> {
  const { entry, secrets } = sealedEntry(id, raw)
  try {
    const wanted = await agreed(terminal, place, { id, raw: entry, secrets }, consent)
    await sealSecrets(gateway, id, secrets)
    await writeEntry(place, id, [], wanted)
    recordChange(gateway, 'server_add', id)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError && /^SERVER_(INVALID|UNCONFIRMED)$/.test(error.code)) return error.message
    throw error
  }
}
