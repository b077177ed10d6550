// Who may run what. Deny by default: a scope names the server, or the server and `:read`; peers see only what is exposed
// to them and never destroy.
import type { CompiledServer, CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { fault, type ToolFault } from '../fault.ts'

/** What a caller may do on a server; lists are cached per level. */
export type AccessLevel = 'none' | 'read' | 'write' | 'destroy'

export interface Guarded {
  readonly scope: string
  readonly readScope: string
  readonly peers: boolean
  /** Whose scopes cover this as well. */
  readonly within?: { readonly scope: string; readonly readScope: string }
  /** Access that follows from access to other things; it lets read. */
  readonly reach?: (caller: Caller) => AccessLevel
}

export function accessOf(guarded: Guarded, caller: Caller): AccessLevel {
  const { scopes } = caller
  const { within } = guarded
  const isPeer = caller.kind === 'peer'
  if (guarded.reach !== undefined) return guarded.reach(caller) === 'none' ? 'none' : 'read'
  if (isPeer && !guarded.peers) return 'none'
  if (scopes === 'all' || scopes.has(guarded.scope)) return isPeer ? 'write' : 'destroy'
  if (within === undefined) return scopes.has(guarded.readScope) ? 'read' : 'none'
  if (scopes.has(within.scope)) return isPeer ? 'write' : 'destroy'
  return scopes.has(guarded.readScope) || scopes.has(within.readScope) ? 'read' : 'none'
}

const LEVELS: readonly AccessLevel[] = ['none', 'read', 'write', 'destroy']

export const mostOf = (levels: readonly AccessLevel[]): AccessLevel =>
  LEVELS[Math.max(0, ...levels.map((level) => LEVELS.indexOf(level)))] ?? 'none'

export function mayRun(tool: CompiledTool, level: AccessLevel): boolean {
  if (level === 'destroy') return true
  if (level === 'none') return false
  return tool.effect === 'read' || (level === 'write' && tool.effect !== 'destroy')
}

/** Undefined when the call may go on. */
export function permit(tool: CompiledTool, caller: Caller): ToolFault | undefined {
  const level = accessOf(tool, caller)
  if (mayRun(tool, level)) return undefined
  if (caller.kind === 'peer' && level !== 'read') {
    return fault('FORBIDDEN', `${tool.publicName} is not exposed to other instances.`)
  }
  return fault(
    'FORBIDDEN',
    `This access does not cover ${tool.publicName}: it needs the scope "${tool.effect === 'read' ? tool.readScope : tool.scope}".`,
  )
}

/** Undefined when the caller may read what needs this. */
export function permitGuarded(guarded: Guarded, name: string, caller: Caller): ToolFault | undefined {
  if (accessOf(guarded, caller) !== 'none') return undefined
  return fault('FORBIDDEN', `This access does not cover ${name}: it needs the scope "${guarded.readScope}".`)
}

/** Undefined when the caller may see what a server holds beside its tools: resources, prompts, and what changes. */
export function permitServer(server: CompiledServer, caller: Caller): ToolFault | undefined {
  if (server.access(caller) !== 'none') return undefined
  return fault('FORBIDDEN', `This access does not cover ${server.id}: it needs the scope "${server.readScope}".`)
}
