// What one source has, as it is shown: public names and addresses, without what the operator left out. Pure.
import { isRecord } from '../lib/json.ts'
import type { JsonObject } from '../lib/link.ts'
import { mirroredParameters, type MirroredParameter } from '../lib/mirrored-parameters.ts'
import type { WireTool } from '../runtime/wire-tool.ts'
import type { Lists } from './definitions.ts'
import { nameAll, type RefusedName } from './names.ts'
import { listedSchema } from './schemas.ts'
import type { SourceSpec } from './spec.ts'
import { withPublicUri } from './uris.ts'

export interface ShownTool {
  readonly name: string
  readonly original: string
  readonly listed: WireTool
  /** As the server wrote it. */
  readonly inputSchema: JsonObject
  /** The operator confirmed that it only reads. */
  readonly isRead: boolean
  readonly timeoutMs: number
  /** What is repeated in headers, where the server is reached over HTTP. */
  readonly mirrored: readonly MirroredParameter[]
}

export interface ShownPrompt {
  readonly name: string
  readonly original: string
  readonly listed: JsonObject
}

export interface View {
  readonly tools: readonly ShownTool[]
  readonly prompts: readonly ShownPrompt[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  /** What cannot be shown, and why. */
  readonly refused: readonly RefusedName[]
}

/** @param reserved public names of the gateway itself */
export function viewOf(spec: SourceSpec, lists: Lists, reserved: ReadonlySet<string>): View {
  const { id } = spec
  const allowed = lists.tools.filter((tool) => isAllowed(spec, nameOf(tool)))
  const tools = nameAll(id, allowed.map(nameOf), reserved)
  const prompts = nameAll(id, lists.prompts.map(nameOf), reserved)
  return {
    tools: allowed.flatMap((tool) => {
      const name = tools.names.get(nameOf(tool))
      return name === undefined ? [] : [shownTool(spec, tool, name)]
    }),
    prompts: lists.prompts.flatMap((prompt) => {
      const original = nameOf(prompt)
      const name = prompts.names.get(original)
      return name === undefined ? [] : [{ name, original, listed: { ...prompt, name } }]
    }),
    resources: lists.resources.map((resource) => withPublicUri(id, named(resource, 'uri'))),
    templates: lists.templates.map((template) => withPublicUri(id, named(template, 'uriTemplate'))),
    refused: [...tools.refused, ...prompts.refused],
  }
}

const nameOf = ({ name }: JsonObject): string => (typeof name === 'string' ? name : '')

const isAllowed = ({ allow, deny }: SourceSpec, original: string): boolean =>
  (allow === undefined || allow.includes(original)) && !deny.includes(original)

/** The protocol demands a name beside the address. */
const named = (entry: JsonObject, key: 'uri' | 'uriTemplate'): JsonObject =>
  typeof entry['name'] === 'string' ? entry : { ...entry, name: entry[key] }

function shownTool(spec: SourceSpec, tool: JsonObject, name: string): ShownTool {
  const original = nameOf(tool)
  const { description, inputSchema } = tool
  return {
    name,
    original,
    listed: {
      ...tool,
      name,
      description: typeof description === 'string' ? description : '',
      inputSchema: listedSchema(inputSchema),
    },
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    isRead: spec.reads.includes(original),
    timeoutMs: Object.hasOwn(spec.toolTimeoutsMs, original)
      ? (spec.toolTimeoutsMs[original] ?? spec.timeoutMs)
      : spec.timeoutMs,
    mirrored: spec.target.kind === 'http' ? mirroredParameters(inputSchema) : [],
  }
}
