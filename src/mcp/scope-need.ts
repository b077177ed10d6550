// What a request would need that its access does not cover. It is refused before anything runs, with the scope to ask for, so
// that a client can come back with more (RFC 6750 §3.1; MCP authorization, Scope Challenge Handling).
import type { CompiledServer, CompiledTool } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { accessOf, mayRun } from '../runtime/steps/permit.ts'
import { isRecord } from '../lib/json.ts'

/** The first scope that one of the messages lacks; undefined when the access covers them all, or has no scopes. */
export function scopeNeeded(served: CompiledServer, body: unknown, caller: Caller): string | undefined {
  if (caller.scopes === 'all' || caller.kind === 'peer') return undefined
  if (served.access(caller) === 'none') return served.readScope
  if (!Array.isArray(body)) return lacking(served, body, caller)
  for (const message of body) {
    const scope = lacking(served, message, caller)
    if (scope !== undefined) return scope
  }
  return undefined
}

function lacking(served: CompiledServer, message: unknown, caller: Caller): string | undefined {
  const tool = toolOf(served, message, caller)
  if (tool === undefined || mayRun(tool, accessOf(tool, caller))) return undefined
  return tool.effect === 'read' ? tool.readScope : tool.scope
}

/** The tool that a message calls, by its own name or through the group of its server. */
function toolOf(served: CompiledServer, message: unknown, caller: Caller): CompiledTool | undefined {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return undefined
  const { name, arguments: args } = message['params']
  if (typeof name !== 'string') return undefined
  const group = served.group(name)
  return group === undefined ? served.find(name, caller) : group.find(args, caller)
}
