// Full-text search over the tools that a caller may use. The index is injected: ranking words is another folder's work.
import { isRecord } from '../../lib/json.ts'
import type { CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import type { Category } from './category.ts'
import type { Found } from './discover.ts'

export interface ToolDocument {
  readonly key: string
  readonly name: string
  readonly category: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name: string
    readonly description: string
    readonly values: readonly string[]
  }[]
}

export interface ToolIndex {
  /** Best first. */
  search(query: string, limit: number): readonly { readonly key: string; readonly score: number }[]
}

/** Asked when somebody searches first. A promise lets it load its words only then. */
export type MakeToolIndex = (documents: readonly ToolDocument[]) => ToolIndex | Promise<ToolIndex>

/** Callers that may use different tools get indexes of their own; few kinds of access are in use at once. */
const INDEXES_MAX = 8

interface Made {
  readonly tools: ReadonlyMap<string, Found>
  readonly index: ToolIndex | Promise<ToolIndex>
}

/** @returns the tools that answer a query best, of one category or of all */
export function searcherOf(categories: () => readonly Category[], makeIndex: MakeToolIndex) {
  const known = new Map<string, Made>()
  const madeFor = (caller: Caller): Made => {
    const all = categories().flatMap((category) => category.usable(caller).map((tool) => ({ category, tool })))
    // Definitions are frozen and made anew when they change, so the names alone would miss a changed description.
    const key = all.map(({ category, tool }) => `${category.id}/${tool.publicName}/${versionOf(tool)}`).join('\n')
    const made = known.get(key)
    if (made !== undefined) return made
    if (known.size >= INDEXES_MAX) known.clear()
    const tools = new Map(all.map((each) => [`${each.category.id}/${each.tool.publicName}`, each]))
    const fresh = {
      tools,
      index: makeIndex([...tools].map(([id, { category, tool }]) => documentOf(id, category, tool))),
    }
    known.set(key, fresh)
    // What could not be made is tried again by the next search.
    if (fresh.index instanceof Promise) fresh.index.catch(() => known.delete(key))
    return fresh
  }
  return async (
    query: string,
    caller: Caller,
    category: string | undefined,
    limit: number,
  ): Promise<readonly Found[]> => {
    const made = madeFor(caller)
    const { tools } = made
    const index = await made.index
    const hits = index.search(query, category === undefined ? limit : tools.size)
    return hits
      .flatMap(({ key }) => tools.get(key) ?? [])
      .filter((found) => category === undefined || found.category.id === category)
      .slice(0, limit)
  }
}

const versions = new WeakMap<object, number>()
let lastVersion = 0

function versionOf({ definition }: CompiledTool): number {
  const known = versions.get(definition)
  if (known !== undefined) return known
  lastVersion++
  versions.set(definition, lastVersion)
  return lastVersion
}

function documentOf(key: string, category: Category, tool: CompiledTool): ToolDocument {
  const { properties } = tool.definition.inputSchema
  const parameters = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const { description, enum: values } = isRecord(schema) ? schema : {}
    return {
      name,
      description: typeof description === 'string' ? description : '',
      values: Array.isArray(values) ? values.map(String) : [],
    }
  })
  return {
    key,
    name: tool.name,
    category: category.id,
    summary: tool.declaration.summary,
    description: tool.definition.description,
    parameters,
  }
}
