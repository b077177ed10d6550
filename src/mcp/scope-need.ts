// What a request would need that its access does not cover. It is refused before anything runs, with the scope to ask for, so
// that a client can come back with more (RFC 6750 §3.1; MCP authorization, Scope Challenge Handling).
import type { CompiledServer, CompiledTool } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { foreignHold } from '../runtime/foreign-reading.ts'
import { accessOf, mayRun, type Guarded } from '../runtime/steps/permit.ts'
import { isRecord } from '../lib/json.ts'

/** What a request would have needed. */
export interface Need {
  readonly scope: string
  /** The tool that was called; undefined where nothing of the server is open to the caller and no tool of it was named. */
  readonly tool: CompiledTool | undefined
}

/** What the first of the messages lacks that lacks something; undefined when the access covers them all, or has no scopes. */
export function scopeNeeded(served: CompiledServer, body: unknown, caller: Caller): Need | undefined {
  if (caller.scopes === 'all' || caller.kind === 'peer') return undefined
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (served.access(caller) === 'none') return { scope: served.readScope, tool: toolOf(served, messages[0], caller) }
  for (const message of messages) {
    const tool = toolOf(served, message, caller)
    if (tool !== undefined && !mayRun(tool, accessOf(tool, caller)))
      return { scope: tool.effect === 'read' ? tool.readScope : tool.scope, tool }
    const guard = served.contents.length === 0 ? undefined : guardOf(served, message, caller)
    if (guard !== undefined && accessOf(guard, caller) === 'none') return { scope: guard.readScope, tool: undefined }
  }
  return undefined
}

/** What a message names of a source, beside tools. */
const NAMED = new Map<unknown, readonly [kind: 'resource' | 'prompt', field: string]>([
  ['resources/read', ['resource', 'uri']],
  ['resources/subscribe', ['resource', 'uri']],
  ['prompts/get', ['prompt', 'name']],
])

/** What it takes to read what a message asks for, where a source has it. */
function guardOf(served: CompiledServer, message: unknown, caller: Caller): Guarded | undefined {
  if (!isRecord(message) || !isRecord(message['params'])) return undefined
  const [kind, field] = NAMED.get(message['method']) ?? []
  const name = field === undefined ? undefined : message['params'][field]
  if (kind === undefined || typeof name !== 'string') return undefined
  const hold = foreignHold(served, caller, kind, name)
  return hold?.content.guardOf(kind, name)
}

/** The tool that a message calls, by its own name or through the group of its server. */
function toolOf(served: CompiledServer, message: unknown, caller: Caller): CompiledTool | undefined {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return undefined
  const { name, arguments: args } = message['params']
  if (typeof name !== 'string') return undefined
  const group = served.group(name)
  return group === undefined ? served.find(name, caller) : group.find(args, caller)
}
