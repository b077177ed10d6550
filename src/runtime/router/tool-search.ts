// Full-text search over the tools that a caller may use. The index is injected: ranking words is another folder's work.
import { isRecord } from '../../lib/json.ts'
import type { CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import type { Category } from './category.ts'
import type { Found, Hit } from './discover.ts'
import { shortName } from './notation.ts'

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

/**
 * Asked when somebody searches first. A promise lets it load its words only then, and make the index little by little: it may
 * give up as soon as `isWanted` says no, and is then undefined.
 */
export type MakeToolIndex = (
  documents: readonly ToolDocument[],
  isWanted: () => boolean,
) => ToolIndex | Promise<ToolIndex | undefined>

/** Callers that may use different tools get indexes of their own; few kinds of access are in use at once. */
const INDEXES_MAX = 8
/** A search begins anew so many times when the tools change while it waits. */
const RESTARTS_MAX = 4

interface Made {
  /** Of the tools that it was made of. */
  readonly key: string
  readonly tools: ReadonlyMap<string, Found>
  readonly index: ToolIndex | Promise<ToolIndex | undefined>
}

/** @returns the tools that answer a query best, of one category or of all */
export function searcherOf(categories: () => readonly Category[], makeIndex: MakeToolIndex) {
  const known = new Map<string, Made>()
  const usableBy = (caller: Caller): Found[] =>
    categories().flatMap((category) => category.usable(caller).map((tool) => ({ category, tool })))
  const make = (all: readonly Found[], key: string, isWanted: () => boolean): Made => {
    const tools = new Map(all.map((each) => [`${each.category.id}/${each.tool.publicName}`, each]))
    const documents = [...tools].map(([id, { category, tool }]) => documentOf(id, category, tool))
    return { key, tools, index: makeIndex(documents, isWanted) }
  }
  const madeFor = (caller: Caller): Made => {
    const all = usableBy(caller)
    const key = keyOf(all)
    const made = known.get(key)
    if (made !== undefined) return made
    if (known.size >= INDEXES_MAX) known.clear()
    const fresh = make(all, key, () => keyOf(usableBy(caller)) === key)
    known.set(key, fresh)
    // What could not be made, or was given up, is tried again by the next search.
    const forget = (): void => {
      if (known.get(key) === fresh) known.delete(key)
    }
    if (fresh.index instanceof Promise) fresh.index.then((index) => index ?? forget(), forget)
    return fresh
  }
  return async (
    query: string,
    caller: Caller,
    category: string | undefined,
    limit: number,
  ): Promise<readonly Hit[]> => {
    for (let tries = 0; tries < RESTARTS_MAX; tries++) {
      const made = madeFor(caller)
      const index = await made.index
      if (index !== undefined && made.key === keyOf(usableBy(caller)))
        return bestOf(made.tools, index, query, category, limit)
    }
    // Tools that change faster than they can be read: an answer from one moment is better than none.
    const made = make(usableBy(caller), '', () => true)
    const index = await made.index
    return index === undefined ? [] : bestOf(made.tools, index, query, category, limit)
  }
}

function bestOf(
  tools: ReadonlyMap<string, Found>,
  index: ToolIndex,
  query: string,
  category: string | undefined,
  limit: number,
): Hit[] {
  return index
    .search(query, category === undefined ? limit : tools.size)
    .flatMap(({ key, score }) => {
      const found = tools.get(key)
      return found === undefined ? [] : [{ ...found, score }]
    })
    .filter((found) => category === undefined || found.category.id === category)
    .slice(0, limit)
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

/** Definitions are frozen and made anew when they change, so the names alone would miss a changed description. */
const keyOf = (all: readonly Found[]): string =>
  all.map(({ category, tool }) => `${category.id}/${tool.publicName}/${versionOf(tool)}`).join('\n')

/** The same document for the same tool: what an index has read of it need not be read for the next one. */
const documents = new WeakMap<CompiledTool, ToolDocument>()

function documentOf(key: string, category: Category, tool: CompiledTool): ToolDocument {
  const known = documents.get(tool)
  if (known?.key === key) return known
  // All that is foreign is one category here; what it is about is said by where it comes from.
  const group = tool.source ?? category.id
  const document = {
    key,
    name: tool.source === undefined ? tool.name : shortName(tool.name, tool.source),
    category: group,
    summary: tool.isForeign && tool.declaration.summary === tool.publicName ? '' : tool.declaration.summary,
    description: tool.definition.description,
    parameters: parametersOf(tool),
  }
  documents.set(tool, document)
  return document
}

function parametersOf({ definition }: CompiledTool): ToolDocument['parameters'] {
  const { properties } = definition.inputSchema
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const { description, enum: values } = isRecord(schema) ? schema : {}
    return {
      name,
      description: typeof description === 'string' ? description : '',
      values: Array.isArray(values) ? values.filter((value) => !isCompound(value)).map(String) : [],
    }
  })
}

/** An object of a stranger may have a `toString` that is none. */
const isCompound = (value: unknown): boolean => typeof value === 'object' && value !== null
