// Connects to one external server as the gateway would, and counts what it has.
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { isRecord } from '../../lib/json.ts'
import { type JsonObject, type Link, LinkFailure, LinkTimeout, type OpenLink, RpcError } from '../../lib/link.ts'
import { nameAll } from '../../upstream/names.ts'
import type { SourceSpec } from '../../upstream/spec.ts'

const START_MS = 60_000
const LIST_MS = 30_000
/** A server that gives the same page for ever is not followed. */
const PAGES_MAX = 100
const KEPT_LINES = 20

export interface Tried {
  readonly ok: true
  readonly name: string
  readonly version: string
  readonly era: string
  readonly protocolVersion: string
  readonly tools: number
  readonly prompts: number
  readonly resources: number
  readonly templates: number
  readonly ms: number
  /** Of tools that would not be shown, and of what it sent that nobody understands. */
  readonly notes: readonly string[]
}

export interface Failed {
  readonly ok: false
  readonly reason: string
  /** The last lines of its stderr. */
  readonly stderr: readonly string[]
  readonly ms: number
}

export async function tryServer(spec: SourceSpec, open: OpenLink): Promise<Tried | Failed> {
  const startedAt = performance.now()
  const elapsed = (): number => Math.round(performance.now() - startedAt)
  const notes: string[] = []
  let link: Link | undefined
  try {
    link = await open(spec.target, {
      capabilities: {},
      startTimeoutMs: START_MS,
      handlers: { onNotification: () => undefined, onRequest: refuse },
      note: (level, message) => void (level === 'warn' && notes.length < KEPT_LINES && notes.push(message)),
    })
    const { name, version, era, protocolVersion } = link.peer
    const lists = await listsOf(link, notes)
    const { refused } = nameAll(spec.id, lists.tools)
    for (const { original, reason } of refused) notes.push(`${original} is not shown: ${reason}`)
    const { length: tools } = lists.tools
    return { ok: true, name, version, era, protocolVersion, ...lists, tools, ms: elapsed(), notes }
  } catch (error) {
    const { reason, stderr } = whyOf(error)
    return { ok: false, reason, stderr, ms: elapsed() }
  } finally {
    await link?.close()
  }
}

const refuse = (): Promise<JsonObject> =>
  Promise.reject(new RpcError({ code: RPC_CODE.methodNotFound, message: 'Nothing can be asked here.' }))

interface Lists {
  readonly tools: readonly string[]
  readonly prompts: number
  readonly resources: number
  readonly templates: number
}

async function listsOf(link: Link, notes: string[]): Promise<Lists> {
  const { tools, prompts, resources } = link.peer.capabilities
  const of = async (isThere: unknown, method: string, key: string): Promise<JsonObject[]> =>
    isThere === undefined ? [] : await listOf(link, method, key, notes)
  return {
    tools: (await of(tools, 'tools/list', 'tools')).map(({ name }) => (typeof name === 'string' ? name : '')),
    prompts: (await of(prompts, 'prompts/list', 'prompts')).length,
    resources: (await of(resources, 'resources/list', 'resources')).length,
    templates: (await of(resources, 'resources/templates/list', 'resourceTemplates')).length,
  }
}

/** Every page. A list that it declares and does not have is empty. */
async function listOf(link: Link, method: string, key: string, notes: string[]): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  const seen = new Set<unknown>()
  let params: JsonObject = {}
  try {
    for (let page = 0; page < PAGES_MAX; page++) {
      const result = await link.request(method, params, { timeoutMs: LIST_MS })
      const part = result[key]
      if (Array.isArray(part)) items.push(...part.filter(isRecord))
      const { nextCursor } = result
      if (nextCursor === undefined || nextCursor === null || seen.has(nextCursor)) break
      seen.add(nextCursor)
      params = { cursor: nextCursor }
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    notes.push(`${method} was answered with an error: ${error.message.slice(0, 200)} (${error.code})`)
  }
  return items
}

function whyOf(error: unknown): { reason: string; stderr: readonly string[] } {
  if (error instanceof LinkFailure)
    return { reason: error.end.reason, stderr: (error.end.stderr ?? []).slice(-KEPT_LINES) }
  if (error instanceof LinkTimeout) return { reason: error.message, stderr: [] }
  throw error
}
