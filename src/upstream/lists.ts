// Reads what a server has: every page, within bounds. One bad entry is left out and noted; it never costs the rest.
import { isRecord } from '../lib/json.ts'
import { RPC_CODE } from '../lib/mcp-names.ts'
import { ENTRY_DEPTH_MAX, isShallow } from './depth.ts'
import type { HubLimits } from './limits.ts'
import { RpcError, type JsonObject, type Link } from '../lib/link.ts'

export type Kind = 'tools' | 'prompts' | 'resources' | 'templates'
export const KINDS: readonly Kind[] = ['tools', 'prompts', 'resources', 'templates']

interface ListFacts {
  readonly method: string
  /** Where the entries stand in the result. */
  readonly field: string
  /** What tells one entry from another. */
  readonly key: string
  readonly capability: string
}

const LISTS: Readonly<Record<Kind, ListFacts>> = Object.freeze({
  tools: { method: 'tools/list', field: 'tools', key: 'name', capability: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', key: 'name', capability: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', key: 'uri', capability: 'resources' },
  templates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
  },
})

export type ListLimits = Pick<HubLimits, 'pagesMax' | 'entriesMax' | 'listBytesMax' | 'listTimeoutMs'>
export type Note = (level: 'debug' | 'warn', message: string, detail?: object) => void

export interface ListOptions {
  readonly limits: ListLimits
  readonly note: Note
  /** 2026: what is said of the caller with each request. */
  readonly capabilities?: JsonObject
}

/**
 * @throws what ends the connection, and for tools an error on the first page; else a server that answers with an error has
 *   nothing more of the kind
 */
export async function fetchList(link: Link, kind: Kind, options: ListOptions): Promise<readonly JsonObject[]> {
  const { method, capability } = LISTS[kind]
  if (link.peer.capabilities[capability] === undefined && kind !== 'tools') return []
  const gathered = new Gathered(kind, options)
  try {
    await gathered.readAll(link)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.code === RPC_CODE.methodNotFound) return gathered.entries
    if (gathered.pages === 0 && kind === 'tools') throw error
    options.note('warn', `${method} failed; what came before is kept`, { code: error.code })
  }
  return gathered.entries
}

class Gathered {
  readonly #facts: ListFacts
  readonly #options: ListOptions
  readonly #byKey = new Map<string, JsonObject>()
  pages = 0
  #bytes = 0

  constructor(kind: Kind, options: ListOptions) {
    this.#facts = LISTS[kind]
    this.#options = options
  }

  get entries(): readonly JsonObject[] {
    return [...this.#byKey.values()]
  }

  async readAll(link: Link): Promise<void> {
    const { method } = this.#facts
    const { limits, note, capabilities } = this.#options
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await link.request(method, cursor === undefined ? {} : { cursor }, {
        timeoutMs: limits.listTimeoutMs,
        ...(capabilities === undefined ? {} : { capabilities }),
      })
      this.pages++
      this.#add(page)
      const { nextCursor } = page
      cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
      if (cursor === undefined) return
      if (seen.has(cursor)) return note('warn', `${method} gives the same cursor again; its list ends here`)
      seen.add(cursor)
    } while (!this.#isFull())
    note('warn', `${method} goes on too long; its list is cut`, { entries: this.#byKey.size, bytes: this.#bytes })
  }

  #add(page: JsonObject): void {
    const { field, key, method } = this.#facts
    const { note } = this.#options
    const entries = page[field]
    if (!Array.isArray(entries)) return note('warn', `${method} answered without a list`)
    for (const entry of entries) {
      const name: unknown = isRecord(entry) ? entry[key] : undefined
      if (!isRecord(entry) || typeof name !== 'string' || name === '')
        note('warn', `${method}: an entry without "${key}" is left out`)
      else if (!isShallow(entry, ENTRY_DEPTH_MAX))
        note('warn', `${method}: an entry nested deeper than ${ENTRY_DEPTH_MAX} levels is left out`)
      else if (this.#byKey.has(name)) note('debug', `${method}: an entry came twice`)
      else if (!this.#isFull()) {
        this.#byKey.set(name, entry)
        this.#bytes += JSON.stringify(entry).length
      }
    }
  }

  #isFull(): boolean {
    const { limits } = this.#options
    return this.pages >= limits.pagesMax || this.#byKey.size >= limits.entriesMax || this.#bytes >= limits.listBytesMax
  }
}

/** Lists that a notification is about. */
export const CHANGED: Readonly<Record<string, readonly Kind[]>> = Object.freeze({
  'notifications/tools/list_changed': ['tools'],
  'notifications/prompts/list_changed': ['prompts'],
  'notifications/resources/list_changed': ['resources', 'templates'],
})
