// Puts one entry into a client's configuration text and leaves everything else in it as it was.
import { GatewayError } from '../errors.ts'
import { isRecord } from '../lib/json.ts'
import type { Entry } from './entry.ts'
import { appended, itemsOf, memberOf, replaced } from './json-text.ts'
import type { AiClient } from './table.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The new text of the file: the entry under `name` added or replaced, every other character kept.
 * @param text the present text, undefined or blank for a new file
 * @throws CLIENT_CONFIG_UNREADABLE when the text is not plain JSON of the expected shape; nothing is guessed or thrown away
 */
export function mergeEntry(text: string | undefined, client: AiClient, name: string, entry: Entry): string {
  const json = withoutMark(text)
  const current = parseConfig(text, client)
  const servers = serversOf(current, client)
  if (json.trim() === '') return fresh(client, name, entry)
  const isThere = Object.hasOwn(servers, name) && JSON.stringify(servers[name]) === JSON.stringify(entry.server)
  const merged = isThere ? json : withServer(json, client, name, entry.server)
  return entry.inputs.reduce((before, input) => withInput(before, client, input), merged)
}

function fresh(client: AiClient, name: string, { server, inputs }: Entry): string {
  const whole = { ...(inputs.length === 0 ? {} : { inputs }), [client.key]: { [name]: server } }
  return `${JSON.stringify(whole, null, 2)}\n`
}

function withServer(json: string, { key }: AiClient, name: string, server: Entry['server']): string {
  const root = json.indexOf('{')
  const servers = memberOf(json, root, key)
  if (servers === undefined) return appended(json, root, { key, value: { [name]: server } }, 1)
  // "mcpServers": null stands for none.
  if (json[servers.start] !== '{') return replaced(json, servers, { [name]: server }, 1)
  const present = memberOf(json, servers.start, name)
  if (present === undefined) return appended(json, servers.start, { key: name, value: server }, 2)
  return replaced(json, present, server, 2)
}

/** VS Code's list of prompts: ours by id replaced or added, the others kept. */
function withInput(json: string, client: AiClient, input: Entry['inputs'][number]): string {
  const root = json.indexOf('{')
  const list = memberOf(json, root, 'inputs')
  if (list === undefined) return appended(json, root, { key: 'inputs', value: [input] }, 1)
  if (json[list.start] !== '[') throw unreadable(client, 'its "inputs" is not a list')
  for (const item of itemsOf(json, list.start)) {
    const present: unknown = JSON.parse(json.slice(item.start, item.end))
    if (!isRecord(present) || present['id'] !== input['id']) continue
    return JSON.stringify(present) === JSON.stringify(input) ? json : replaced(json, item, input, 2)
  }
  return appended(json, list.start, { value: input }, 2)
}

/** What stands under `name`, undefined when nothing does. Throws CLIENT_CONFIG_UNREADABLE as `mergeEntry` does. */
export function findEntry(text: string | undefined, client: AiClient, name: string): unknown {
  const servers = serversOf(parseConfig(text, client), client)
  return Object.hasOwn(servers, name) ? servers[name] : undefined
}

/** Every entry of the file. Throws CLIENT_CONFIG_UNREADABLE as `mergeEntry` does. */
export function entriesOf(text: string | undefined, client: AiClient): JsonObject[] {
  return Object.values(serversOf(parseConfig(text, client), client)).filter(isRecord)
}

function parseConfig(text: string | undefined, client: AiClient): JsonObject {
  const json = withoutMark(text)
  if (json.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch (cause) {
    throw unreadable(client, 'it is not plain JSON (comments count as such)', cause)
  }
  if (!isRecord(parsed)) throw unreadable(client, 'it does not hold a JSON object')
  return parsed
}

function serversOf(config: JsonObject, client: AiClient): JsonObject {
  const servers = config[client.key] ?? {}
  if (!isRecord(servers)) throw unreadable(client, `its "${client.key}" is not an object`)
  return servers
}

function withoutMark(text: string | undefined): string {
  return text?.replace(/^\uFEFF/, '') ?? ''
}

function unreadable(client: AiClient, why: string, cause?: unknown): GatewayError {
  return new GatewayError(
    'conflict',
    'CLIENT_CONFIG_UNREADABLE',
    `the configuration file of ${client.title} is left alone: ${why}`,
    {
      hint: 'Add the entry by hand: the same command without --write prints it.',
      cause,
    },
  )
}
