// What compiling yields: everything a call needs, computed once, never changed.
import type { Semaphore } from './guards/semaphore.ts'
import type { KeyedMutex } from './guards/keyed-mutex.ts'
import type { Caller } from './context.ts'
import type { ToolFault } from './fault.ts'
import type { Next } from './middleware.ts'
import type { Passable } from './pass.ts'
import type { CompiledPresenter } from './present-compile.ts'
import type { Parser } from './schema/parser.ts'
import type { ObjectShape } from './schema/shape.ts'
import type { Prompt, Resource, ResourceTemplate } from './server.ts'
import type { Effect, Limits, Tool } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

export interface CompiledTool {
  /** Bare; `group.action` when it is in a group. */
  readonly name: string
  /** As `tools/list` shows it on a direct mount. */
  readonly publicName: string
  /** Id of the server. */
  readonly server: string
  readonly effect: Effect
  readonly definition: WireTool
  readonly signature: string
  readonly declaration: Tool
  /** May answer `input-required`. */
  readonly canAsk: boolean

  readonly shape: ObjectShape
  readonly parse: Parser
  readonly oneOf: readonly string[] | undefined
  readonly chain: Next
  /** Ids in running order: global, server, tool. */
  readonly middlewareIds: readonly string[]
  readonly limits: Readonly<Required<Limits>>
  readonly semaphore: Semaphore
  readonly mutex: KeyedMutex | undefined
  readonly presenter: CompiledPresenter | undefined
  readonly parseOutput: Parser | undefined
  /** Concrete URIs. */
  readonly invalidates: readonly string[]
  readonly scope: string
  readonly readScope: string
  readonly peers: boolean
  /** Whether the parameter `more` continues a cut reply here; a foreign tool may have one of its own. */
  readonly continues: boolean
}

/** `{ action, params }`: one tool that stands for all tools of a server. */
export interface CompiledGroup {
  readonly publicName: string
  resolve(params: unknown, caller: Caller): { readonly tool: CompiledTool; readonly params: unknown } | ToolFault
}

export interface CompiledServer {
  readonly id: string
  readonly mount: string
  readonly aliases: readonly string[]
  readonly prefix: string
  readonly title: string | undefined
  readonly summary: string
  readonly instructions: string | undefined
  /** What it takes to see the server at all; a tool says what it takes to run it. */
  readonly scope: string
  readonly readScope: string
  readonly peers: boolean
  /** Set when the server shows all its tools as one. */
  readonly group: CompiledGroup | undefined
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
  /** Sorted by public name; without foreign tools. */
  readonly tools: readonly CompiledTool[]
  /** Foreign tools as they are at this moment. */
  readonly externalCount: number
  /** Guards of all tools, foreign ones included. */
  guards(): readonly Passable[]
  /** Changes whenever what the server offers does. */
  readonly revision: string
  /** Bare, public, and where it is clear also without the server's own name in front. */
  find(name: string, caller?: Caller): CompiledTool | undefined
  /** What this caller may use, deep-frozen, in stable order. */
  listTools(caller: Caller): readonly WireTool[]
  /** The same as a JSON array, serialised once per access level. */
  toolsListJson(caller: Caller): string
}
