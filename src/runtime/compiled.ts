// What compiling yields: everything a call needs, computed once, never changed.
import type { Semaphore } from './guards/semaphore.ts'
import type { KeyedMutex } from './guards/keyed-mutex.ts'
import type { Caller } from './context.ts'
import type { ToolFault } from './fault.ts'
import type { ForeignContent } from './foreign-content.ts'
import type { Next } from './middleware.ts'
import type { Passable } from './pass.ts'
import type { CompiledPresenter } from './present-compile.ts'
import type { Profile } from './profiles/profile.ts'
import type { Parser } from './schema/parser.ts'
import type { ObjectShape } from './schema/shape.ts'
import type { Prompt, Resource, ResourceTemplate } from './server.ts'
import type { SourceArea, SourceStatus, ToolOrigin } from './source.ts'
import type { AccessLevel, Guarded } from './steps/permit.ts'
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
  /** As it is listed: lean. */
  readonly definition: WireTool
  /** The whole JSON Schema of the input, with every bound that is checked. */
  readonly inputSchema: WireTool['inputSchema']
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
  /** Whose scopes cover those of the tool. */
  readonly within?: Pick<Guarded, 'scope' | 'readScope'>
  /** Set where whoever may use anything of the server may read: the answer then depends on what that is. */
  readonly reach?: (caller: Caller) => AccessLevel
  /** Whether somebody else serves it: its schema is data, its effect what the operator approved. */
  readonly isForeign: boolean
  /** Where a foreign tool comes from, if its source says so. */
  readonly origin?: () => ToolOrigin | undefined
  /** Id of the source that serves it; absent where it is our own. */
  readonly source?: string
  /** Whether the parameter `more` continues a cut reply here; a foreign tool may have one of its own. */
  readonly continues: boolean
}

export interface Resolved {
  readonly tool: CompiledTool
  readonly params: unknown
}

/** `{ action, params }`: one tool that stands for several. */
export interface CompiledGroup {
  readonly publicName: string
  /** The tool that a call means, without looking at its parameters; undefined when it means none. */
  find(params: unknown, caller: Caller): CompiledTool | undefined
  resolve(params: unknown, caller: Caller): Resolved | ToolFault
  /** What a call that was not understood should have looked like, one line of JSON; undefined where nobody says. */
  teach?(params: unknown, caller: Caller): string | undefined
}

/** How a server lists its tools, where that depends on a client's profile. */
export interface Profiled {
  /** The same object until the owner changes it. */
  readonly profileOf: (caller: Caller) => Profile
  /** Whether this caller is shown every tool by its own name. */
  readonly isDirect: (caller: Caller) => boolean
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
  /** How much of the server this caller may use. */
  access(caller: Caller): AccessLevel
  /** Equal for callers that are shown the same. */
  accessKey(caller: Caller): string
  /** Whether others serve something here: only then does it matter what a client can be asked. */
  readonly hasSources: boolean
  /** Resources, prompts and completions of others. */
  readonly contents: readonly ForeignContent[]
  /** The external servers that have scopes here, as they are at this moment. */
  readonly areas: readonly SourceArea[]
  /** How those are doing. */
  statuses(): readonly SourceStatus[]
  /** Whether it shows the tools of other servers and has no scope of its own. */
  readonly derived: boolean
  /** Set where a profile decides what is listed, and an address may name one. */
  readonly profiled?: Profiled
  /** The servers that a derived one shows; none otherwise. */
  readonly parts: readonly CompiledServer[]
  /** Set where its own tools change what it lists. */
  readonly listsMove?: true
  /** Whether it shows all its tools as one. */
  readonly grouped: boolean
  /** The tool of this name that stands for several. */
  group(publicName: string): CompiledGroup | undefined
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
  /** What to say to a caller that asks for a tool which is not shown but could be. */
  whereabouts?(name: string, caller: Caller): string | undefined
  /** What this caller may run, foreign tools included, sorted by public name. */
  usable(caller: Caller): readonly CompiledTool[]
  /** What this caller is shown, deep-frozen, in stable order. */
  listTools(caller: Caller): readonly WireTool[]
  /** The same as a JSON array, serialised once per access level. */
  toolsListJson(caller: Caller): string
}
