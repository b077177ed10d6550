// Tools that come and go: external servers and peers. Their schemas are data, checked by their owner, never compiled here.
import type { Caller, ToolContext } from './context.ts'
import type { InputNeeded, Reply } from './reply.ts'
import type { WireTool } from './wire-tool.ts'
import type { ToolFault } from './fault.ts'

export interface ToolSource {
  readonly id: string
  /** Moves whenever the list may have changed. Read on every call, so it must be cheap. */
  readonly epoch: number
  /** Definitions by public name. Asked once per epoch and access level. */
  list(caller: Caller): readonly WireTool[]
  /** Effect of each tool as the operator approved it; anything unknown counts as `write`. */
  effect?(name: string): 'read' | 'write' | 'destroy'
  call(name: string, params: unknown, ctx: ToolContext): Promise<Reply | InputNeeded | ToolFault>
}
