// Puts one entry into a client's configuration text and leaves everything else in it as it was.
import { GatewayError } from '../errors.ts'
import type { Entry } from './entry.ts'
import type { AiClient } from './table.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The new text of the file: the entry under `name` added or replaced, every foreign entry, key order and the indentation kept.
 * @param text the present text, undefined or blank for a new file
 * @throws CLIENT_CONFIG_UNREADABLE when the text is not plain JSON of the expected shape; nothing is guessed or thrown away
 */
export function mergeEntry(text: string | undefined, client: AiClient, name: string, entry: Entry): string {
  const current = parseConfig(text, client)
  const inputs = mergeInputs(current['inputs'], entry.inputs)
  const merged = {
    ...current,
    ...(inputs === undefined ? {} : { inputs }),
    [client.key]: { ...serversOf(current, client), [name]: entry.server },
  }
  return `${JSON.stringify(merged, null, indentOf(text))}\n`
}

/** The entry under `name`, or undefined when the file has none or cannot be understood. */
export function findEntry(text: string | undefined, client: AiClient, name: string): JsonObject | undefined {
  const servers = serversOf(parseConfig(text, client), client)
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined
  return isObject(found) ? found : undefined
}

/** Every entry of the file. Throws CLIENT_CONFIG_UNREADABLE as `mergeEntry` does. */
export function entriesOf(text: string | undefined, client: AiClient): JsonObject[] {
  return Object.values(serversOf(parseConfig(text, client), client)).filter(isObject)
}

function parseConfig(text: string | undefined, client: AiClient): JsonObject {
  const json = text?.replace(/^\uFEFF/, '') ?? ''
  if (json.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch (cause) {
    throw unreadable(client, 'it is not plain JSON (comments count as such)', cause)
  }
  if (!isObject(parsed)) throw unreadable(client, 'it does not hold a JSON object')
  return parsed
}

function serversOf(config: JsonObject, client: AiClient): JsonObject {
  const servers = config[client.key] ?? {}
  if (!isObject(servers)) throw unreadable(client, `its "${client.key}" is not an object`)
  return servers
}

/** VS Code's list of prompts: ours by id replaced or added, the others kept. */
function mergeInputs(present: unknown, ours: Entry['inputs']): unknown {
  if (ours.length === 0) return undefined
  const ids = new Set(ours.map((input) => input['id']))
  const foreign = Array.isArray(present) ? present.filter((input) => !isObject(input) || !ids.has(input['id'])) : []
  return [...foreign, ...ours]
}

function indentOf(text: string | undefined): string {
  return /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
