// What every server has that shows the tools of others: access, revision and lists, all taken from its parts as they are now.
import { sha256Hex } from '../lib/hashing.ts'
import { deepFreeze } from '../lib/json.ts'
import { Recent } from '../lib/recent.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'
import { mostOf, type AccessLevel } from './steps/permit.ts'
import type { WireTool } from './wire-tool.ts'

/** Lists kept ready: one per kind of access that has asked. */
const LISTS_MAX = 16
const REVISION_CHARS = 16

type Parts = () => readonly CompiledServer[]

/** The most that the caller may do in any part. */
export const accessOver =
  (parts: Parts) =>
  (caller: Caller): AccessLevel =>
    mostOf(parts().map((part) => part.access(caller)))

/** Equal for callers that are shown the same. */
export const accessKeyOver =
  (parts: Parts) =>
  (caller: Caller): string =>
    parts()
      .map((part) => part.accessKey(caller))
      .join('\n')

/** What the parts have from elsewhere, as they are now. */
export const foreignOver = (parts: readonly CompiledServer[]) => ({
  hasSources: parts.some((part) => part.hasSources),
  contents: parts.flatMap((part) => part.contents),
  areas: [],
  statuses: () => [],
})

/** Moves whenever that of a part does, or the parts are others. */
export const revisionOver = (parts: readonly CompiledServer[]): string =>
  sha256Hex(parts.map((part) => `${part.id} ${part.revision}`).join('\n')).slice(0, REVISION_CHARS)

export interface ListOf {
  readonly tools: readonly WireTool[]
  readonly json: string
}

/** Lists as `make` gives them, made anew only when a part changes or a caller may do something else in one. */
export function listsOver(parts: Parts, make: (caller: Caller) => readonly WireTool[]): (caller: Caller) => ListOf {
  const lists = new Recent<string, ListOf>(LISTS_MAX)
  return (caller) => {
    const key = parts()
      .map((part) => `${part.id} ${part.accessKey(caller)} ${part.revision}`)
      .join('\n')
    const known = lists.get(key)
    if (known !== undefined) return known
    const tools = deepFreeze([...make(caller)])
    const list = { tools, json: JSON.stringify(tools) }
    lists.set(key, list)
    return list
  }
}
