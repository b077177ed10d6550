// The only way a tool runs, whoever asks: a mount, stdio, the CLI, a chat turn, a peer.
import { nearest } from '../lib/nearest.ts'
import type { Catalog } from './catalog.ts'
import type { CompiledGroup, CompiledServer, CompiledTool, Resolved } from './compiled.ts'
import { ToolFault } from './fault.ts'
import type { ProbeTarget } from './hooks.ts'
import type { Call, Outcome } from './outcome.ts'
import { proceed } from './pipeline.ts'
import { Run } from './run.ts'
import { saidName } from './said-name.ts'
import { refuse } from './steps/answer.ts'

export type { Call, Outcome } from './outcome.ts'

/**
 * Runs a tool. The answer is there at once unless something has to be waited for, so a synchronous handler costs no
 * promise. Never throws and never rejects: every failure is an outcome.
 */
export function invoke(catalog: Catalog, call: Call): Outcome | Promise<Outcome> {
  const server = catalog.server(call.server)
  if (server === undefined)
    return unknown(catalog, call, { id: saidName(call.server) }, `Unknown server: ${saidName(call.server)}`)
  const group = server.group(call.tool)
  if (group !== undefined) return throughGroup(catalog, call, server, group)
  const tool = server.find(call.tool, call.caller)
  return tool === undefined
    ? unknown(catalog, call, server, unknownTool(server, call))
    : start(catalog, call, server, { tool, params: call.params })
}

/** Tells whoever watches of a call that was turned away before it came here, as one that `permit` refuses. Runs nothing. */
export function noteForbidden(catalog: Catalog, tool: CompiledTool, call: Call): void {
  const probe = catalog.engine.hooks?.probe(call, targetOf(tool, undefined))
  probe?.step('permit', false)
  probe?.end({ outcome: 'fault', code: 'FORBIDDEN', isError: true })
}

/** The part of a server that tells whether it shows tools of others. */
type Called = Pick<CompiledServer, 'id'> & Partial<Pick<CompiledServer, 'derived'>>

const viaOf = (called: Called | undefined): string | undefined => (called?.derived === true ? called.id : undefined)

function targetOf(tool: CompiledTool, called: Called | undefined): ProbeTarget {
  const { server, name, effect, middlewareIds } = tool
  return { kind: 'tool', server, via: viaOf(called), name, effect, middlewares: middlewareIds.length }
}

/** What a call that resolves to no tool was made to. */
const noTool = (called: Called, name: string): ProbeTarget => ({
  kind: 'tool',
  server: called.id,
  via: viaOf(called),
  name,
  effect: undefined,
  middlewares: 0,
})

function start(
  catalog: Catalog,
  call: Call,
  called: CompiledServer,
  { tool, params }: Resolved,
  via?: CompiledGroup,
): Outcome | Promise<Outcome> {
  const { engine } = catalog
  const { hooks } = engine
  if (hooks === undefined) return proceed(new Run(engine, tool, call, undefined, via), params)
  const probe = hooks.probe(call, targetOf(tool, called))
  const run = new Run(engine, tool, call, probe, via)
  const outcome = proceed(run, params)
  // A flight ends its own probe, at the moment the answer is given.
  if (!(outcome instanceof Promise))
    probe.end(run.note ?? { outcome: outcome.kind === 'input-required' ? 'input-required' : 'fault' })
  return outcome
}

function throughGroup(
  catalog: Catalog,
  call: Call,
  called: CompiledServer,
  group: CompiledGroup,
): Outcome | Promise<Outcome> {
  const resolved = group.resolve(call.params, call.caller)
  if (!(resolved instanceof ToolFault)) return start(catalog, call, called, resolved, group)
  const { engine } = catalog
  const probe = engine.hooks?.probe(call, noTool(called, group.publicName))
  const subject = {
    server: called.id,
    publicName: group.publicName,
    signature: `${group.publicName}(action: string, params?: object)`,
    semaphore: undefined,
    mutex: undefined,
  }
  const run = new Run(engine, subject, call, probe, group)
  const outcome = refuse(run, resolved)
  probe?.end(run.note ?? { outcome: 'fault' })
  return outcome
}

function unknownTool(server: CompiledServer, call: Call): string {
  const name = saidName(call.tool)
  const elsewhere = server.whereabouts?.(call.tool, call.caller)
  if (elsewhere !== undefined) return `Unknown tool: ${name}. ${elsewhere}`
  const near = nearest(
    name,
    server.listTools(call.caller).map((tool) => tool.name),
  )
  return `Unknown tool: ${name}${near === undefined ? '' : `. Did you mean ${near}?`}`
}

function unknown(catalog: Catalog, call: Call, called: Called, message: string): Outcome {
  const probe = catalog.engine.hooks?.probe(call, noTool(called, call.tool))
  const bytes = probe?.measures === true ? Buffer.byteLength(message) : 0
  probe?.end({ outcome: 'unknown-tool', code: 'UNKNOWN_TOOL', isError: true, bytes })
  return { kind: 'unknown-tool', name: call.tool, message }
}
