// What every server has that shows the tools of others: access, revision and lists, all taken from its parts as they are now.
import { sha256Hex } from '../lib/hashing.ts'
import { deepFreeze } from '../lib/json.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'
import type { AccessLevel } from './steps/permit.ts'
import type { WireTool } from './wire-tool.ts'

/** Lists kept ready: one per kind of access that has asked. */
const LISTS_MAX = 16
const REVISION_CHARS = 16

const LEVELS: readonly AccessLevel[] = ['none', 'read', 'write', 'destroy']

type Parts = () => readonly CompiledServer[]

/** The most that the caller may do in any part. */
export const accessOver =
  (parts: Parts) =>
  (caller: Caller): AccessLevel =>
    LEVELS[Math.max(0, ...parts().map((part) => LEVELS.indexOf(part.access(caller))))] ?? 'none'

/** Moves whenever that of a part does, or the parts are others. */
export const revisionOver = (parts: readonly CompiledServer[]): string =>
  sha256Hex(parts.map((part) => `${part.id} ${part.revision}`).join('\n')).slice(0, REVISION_CHARS)

export interface ListOf {
  readonly tools: readonly WireTool[]
  readonly json: string
}

/** Lists as `make` gives them, made anew only when a part changes or a caller may do something else in one. */
export function listsOver(parts: Parts, make: (caller: Caller) => readonly WireTool[]): (caller: Caller) => ListOf {
  const lists = new Map<string, ListOf>()
  return (caller) => {
    const key = parts()
      .map((part) => `${part.id} ${part.access(caller)} ${part.revision}`)
      .join('\n')
    const known = lists.get(key)
    if (known !== undefined) return known
    if (lists.size >= LISTS_MAX) lists.clear()
    const tools = deepFreeze([...make(caller)])
    const list = { tools, json: JSON.stringify(tools) }
    lists.set(key, list)
    return list
  }
}
