// Tools, resources and prompts that come and go: external servers and peers. Their schemas and their answers are data, passed
// on as they are, never compiled here.
import type { Caller, ToolContext } from './context.ts'
import type { ToolFault } from './fault.ts'
import type { InputNeeded, Reply } from './reply.ts'
import type { Limits } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

/** An object as the protocol writes it, with every field that it came with. */
export type WireObject = Readonly<Record<string, unknown>>

/** One external server, as far as access and people are concerned. */
export interface SourceArea {
  /** The last part of its scopes. `read` is taken by the scope of all of them. */
  readonly id: string
  /** For people. */
  readonly title: string
}

/** Where a foreign tool comes from, for whoever looks closely. */
export interface ToolOrigin {
  readonly area: string
  /** Of the external server. */
  readonly title: string
  /** What the server itself calls it. */
  readonly original: string
  /** As the server gave it, whatever is listed. */
  readonly inputSchema: WireObject
  /** What the server says of itself: data of a stranger, shown fenced. */
  readonly instructions?: string
}

export const SOURCE_STATES = ['idle', 'starting', 'ready', 'backoff', 'failed', 'disabled'] as const
export type SourceState = (typeof SOURCE_STATES)[number]

export const CIRCUIT_STATES = ['closed', 'open', 'half-open'] as const

/** How one external server is doing. */
export interface SourceStatus {
  readonly id: string
  readonly name: string
  /** How many tools it shows. */
  readonly tools: number
  readonly status: SourceState
  readonly restarts: number
  readonly circuit: (typeof CIRCUIT_STATES)[number]
  /** Connections that are up. */
  readonly connections?: number
  /** Calls that wait for an answer, or for a connection. */
  readonly pending?: number
  /** When it came to be in this state, in epoch milliseconds. */
  readonly since?: number
  /** One sentence without secrets, for the operator only. */
  readonly lastError?: string
}

/** What a completion is for, as the protocol writes it. */
export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

/**
 * Everything beside tools, under public names and URIs. Lists are asked once per epoch and kind of access; what the caller
 * may not see is left out by who asks. Whether a name is served at all is decided by the `areaOf` functions, which start
 * nothing; an answer may be undefined for a name of this source that is not there (any more).
 */
export interface ContentSource {
  /** With `uri` and `name`, and whatever else it came with. */
  resources(caller: Caller): readonly WireObject[]
  /** With `uriTemplate` and `name`. */
  templates(caller: Caller): readonly WireObject[]
  /** With `name`. */
  prompts(caller: Caller): readonly WireObject[]
  /** The external server that a URI, listed or not, belongs to; undefined where it is of no such server. */
  areaOfUri(uri: string): string | undefined
  areaOfTemplate(uriTemplate: string): string | undefined
  areaOfPrompt(name: string): string | undefined
  /** @returns the result of `resources/read`, with at least `contents`; undefined where there is no such resource */
  read(uri: string, ctx: ToolContext): Promise<WireObject | ToolFault | undefined>
  /** @returns the result of `prompts/get`, with at least `messages`; undefined where there is no such prompt */
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    ctx: ToolContext,
  ): Promise<WireObject | InputNeeded | ToolFault | undefined>
  /** @returns the result of `completion/complete`, with at least `completion` */
  complete(
    ref: CompletionRef,
    argument: { readonly name: string; readonly value: string },
    context: { readonly arguments?: Readonly<Record<string, string>> } | undefined,
    ctx: ToolContext,
  ): Promise<WireObject | ToolFault>
  /**
   * Somebody wants to hear of changes: from now on they are emitted on the bus as `{ kind: 'resource', uri }` with this very
   * URI. Called once per URI however many listen. The returned function ends it. Never throws and starts nothing in the way
   * of who asks.
   */
  watch(uri: string): () => void
}

export interface ToolSource {
  readonly id: string
  /**
   * Moves whenever anything that can be listed may have changed: tools, content, areas. Read on every call, so it must be
   * cheap. Whoever moves it emits on the bus afterwards (`tools`, `prompts`, `resources`, with the id of the server).
   */
  readonly epoch: number
  /**
   * Definitions by public name. Asked once per epoch and kind of access: what the caller may do in each area, and what its
   * client can be asked (`caller.abilities`). It may depend on nothing else of the caller.
   */
  list(caller: Caller): readonly WireTool[]
  /** Effect of each tool as the operator approved it; anything unknown counts as `write`. */
  effect?(name: string): 'read' | 'write' | 'destroy'
  /** Bounds of a tool where they differ from those of the server; `deadlineMs` is the outermost one, progress or not. */
  limitsOf?(name: string): Limits | undefined
  /** The external servers there are, those without tools and those that are switched off included. Cheap. */
  areas?(): readonly SourceArea[]
  /**
   * Id of the external server of a tool: its scopes are `<server>:<id>` and `<server>:<id>:read`, beside `<server>` and
   * `<server>:read`, which cover every area. Undefined: only the latter two.
   */
  areaOf?(name: string): string | undefined
  originOf?(name: string): ToolOrigin | undefined
  readonly content?: ContentSource
  /** The external servers of `areas`, as they are at this moment. */
  statuses?(): readonly SourceStatus[]
  /**
   * Runs a tool. What the call may ask is in `ctx.elicit`, never more than `ctx.caller.abilities`; a question is returned
   * as `needInput(requests, state)`, and the same call comes back with `ctx.elicit.state` and `ctx.elicit.responses`.
   * @returns the result as it came, without what belongs to one connection: no `resultType`, no `serverInfo` in `_meta`
   */
  call(name: string, params: unknown, ctx: ToolContext): Promise<Reply | InputNeeded | ToolFault>
}
