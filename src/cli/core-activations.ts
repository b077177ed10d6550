// What each AI client had active in `crow stdio core` when it ended: a small file in the data folder, by the client's own name.
import { join } from 'node:path'
import { changeClientFile, readClientFile } from '../clients/config-file.ts'
import { isRecord } from '../lib/json.ts'
import type { Log } from '../runtime/context.ts'
import type { ActivationStore } from '../runtime/core/core.ts'

const FILE = 'core-activations.json'
const CLIENTS_MAX = 64
const SERVERS_MAX = 64
const NAME_CHARS_MAX = 128
/** More than we ever write. */
const FILE_CHARS_MAX = 1 << 20

interface Activations {
  readonly client: string
  readonly servers: readonly string[]
}

/**
 * Reads the file once; each change is written at once, as a change of this one name and server, so that processes which run
 * beside each other keep what the others have written.
 */
export async function openActivations(dataDir: string, log: Log): Promise<ActivationStore> {
  const file = join(dataDir, FILE)
  const unreadable = (error: unknown) => log.warn({ err: error }, 'what clients had active could not be read or kept')
  const known = await readClientFile(file)
    .then((text) => parsed(text))
    .catch((error: unknown) => (unreadable(error), []))
  let last: Promise<unknown> = Promise.resolve()
  return {
    recall: (client) => known.find((each) => each.client === shortened(client))?.servers ?? [],
    async keep(client, server, isActive) {
      const change = (text: string | undefined): string =>
        `${JSON.stringify(changed(parsed(text), shortened(client), server, isActive))}\n`
      last = last.then(() => changeClientFile(file, change, true)).catch(unreadable)
      await last
    },
  }
}

const shortened = (client: string): string => client.slice(0, NAME_CHARS_MAX).toWellFormed()

/** The client that changed stands last, so the ones that give way have not changed for longest. */
function changed(known: readonly Activations[], client: string, server: string, isActive: boolean): Activations[] {
  const before = known.find((each) => each.client === client)?.servers ?? []
  const others = known.filter((each) => each.client !== client)
  const rest = before.filter((id) => id !== server)
  const servers = isActive ? [...rest, server].slice(-SERVERS_MAX) : rest
  return servers.length === 0 ? others : [...others, { client, servers }].slice(-CLIENTS_MAX)
}

/** What is no such list is none: it is worth no refusal to start. */
function parsed(text = ''): readonly Activations[] {
  if (text.length > FILE_CHARS_MAX) return []
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
  return Array.isArray(value) ? value.filter(isActivations) : []
}

function isActivations(value: unknown): value is Activations {
  if (!isRecord(value)) return false
  const { client, servers } = value
  return typeof client === 'string' && Array.isArray(servers) && servers.every((id) => typeof id === 'string')
}
