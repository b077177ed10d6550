// The capability lock: what the gateway can do, as one reviewable file. It is computed from the compiled catalog, so it
// sees the middlewares that really run, the limits that really hold, and whole schemas.
import { canonicalJson, isRecord } from '../lib/json.ts'
import { sha256Hex } from '../lib/hashing.ts'
import type { Catalog } from './catalog.ts'
import type { CompiledServer, CompiledTool } from './compiled.ts'
import { mayAsk } from './tool.ts'

export const LOCK_VERSION = 1

export interface ToolLock {
  readonly effect: string
  readonly description: string
  readonly input: unknown
  readonly output: unknown
  readonly scopes: readonly string[]
  /** In running order. */
  readonly middleware: readonly string[]
  readonly limits: Readonly<Record<string, number>>
  /** How writes queue: `none`, `tool`, `key`. */
  readonly serialize: string
  readonly present: unknown
  readonly sync: unknown
  readonly oneOf: readonly string[]
  readonly asks: boolean
}
export interface ServerLock {
  readonly mount: string
  readonly aliases: readonly string[]
  readonly prefix: string
  readonly grouped: boolean
  readonly peers: boolean
  readonly tools: Readonly<Record<string, ToolLock>>
  readonly resources: Readonly<Record<string, unknown>>
  readonly templates: Readonly<Record<string, unknown>>
  readonly prompts: Readonly<Record<string, unknown>>
}
export interface CapabilityLock {
  readonly lockVersion: number
  readonly confirm: string
  /** SHA-256 over `servers` and `confirm` in canonical JSON. */
  readonly digest: string
  readonly servers: Readonly<Record<string, ServerLock>>
}

/** Deterministic: the order of files and registrations does not show. Foreign tools are not ours to lock. */
export function buildLock(catalog: Catalog): CapabilityLock {
  const servers = Object.fromEntries(catalog.servers.map((server) => [server.id, lockServer(server)]))
  const { confirm } = catalog.engine
  return { lockVersion: LOCK_VERSION, confirm, digest: digestOf(servers, confirm), servers }
}

function digestOf(servers: unknown, confirm: unknown): string {
  return sha256Hex(canonicalJson({ confirm, servers }))
}

/** Canonical: sorted keys, two spaces, a line break at the end. */
export function renderLock(lock: CapabilityLock): string {
  return `${canonicalJson(lock, 2)}\n`
}

/** @throws SyntaxError when the text is no lock, or was edited by hand */
export function parseLock(text: string): CapabilityLock {
  const parsed: unknown = JSON.parse(text)
  if (!isLock(parsed)) throw new SyntaxError(`This is not a capability lock of version ${LOCK_VERSION}.`)
  if (parsed.digest !== digestOf(parsed.servers, parsed.confirm))
    throw new SyntaxError('The capability lock does not match its own digest; write it anew.')
  return parsed
}

function isLock(value: unknown): value is CapabilityLock {
  if (!isRecord(value) || value['lockVersion'] !== LOCK_VERSION || typeof value['digest'] !== 'string') return false
  const { servers } = value
  return isRecord(servers) && Object.values(servers).every((server) => isRecord(server) && isRecord(server['tools']))
}

function lockServer(server: CompiledServer): ServerLock {
  return {
    mount: server.mount,
    aliases: server.aliases.toSorted(),
    prefix: server.prefix,
    grouped: server.grouped,
    peers: server.peers,
    tools: Object.fromEntries(server.tools.map((tool) => [tool.name, lockTool(tool)])),
    resources: Object.fromEntries(
      server.resources.map(({ uri, mimeType, description, subscribable }) => [
        uri,
        { mimeType, description, subscribable: subscribable === true },
      ]),
    ),
    templates: Object.fromEntries(
      server.templates.map(({ uriTemplate, mimeType, description }) => [uriTemplate, { mimeType, description }]),
    ),
    prompts: Object.fromEntries(
      server.prompts.map((prompt) => [
        prompt.name,
        { description: prompt.description, arguments: prompt.arguments ?? [] },
      ]),
    ),
  }
}

function lockTool(tool: CompiledTool): ToolLock {
  const { declaration, definition } = tool
  const { present } = declaration
  return {
    effect: tool.effect,
    description: definition.description,
    input: tool.inputSchema,
    output: definition.outputSchema ?? null,
    scopes: tool.effect === 'read' ? [tool.scope, tool.readScope] : [tool.scope],
    middleware: tool.middlewareIds,
    limits: { ...tool.limits },
    serialize: tool.mutex === undefined ? 'none' : declaration.serializeBy === undefined ? 'tool' : 'key',
    present:
      present === undefined
        ? null
        : {
            schema: present.schema,
            listMax: present.listMax ?? null,
            redact: present.redact ?? [],
            escape: declaration.presenterEscape === true,
          },
    sync: { cache: declaration.sync?.cache ?? null, invalidates: tool.invalidates },
    oneOf: declaration.oneOf ?? [],
    asks: mayAsk(declaration),
  }
}
