// The one way to declare a tool: a frozen object. Every other mention of it anywhere is computed from this.
import type { Static, TObject, TSchema } from 'typebox'
import type { ToolContext } from './context.ts'
import type { Middleware } from './middleware.ts'
import { rememberOrigin } from './origin.ts'
import type { Presenter } from './presenter.ts'
import type { SyncPolicy } from './sync.ts'

/**
 * What a call may do. `read` changes nothing, `write` can be repeated or undone, `destroy` needs a confirmation,
 * `route` only resolves to an inner tool, whose own effect then counts.
 */
export type Effect = 'read' | 'write' | 'destroy' | 'route'

/** Bounds of one tool. Absent fields take the server's, then the runtime's defaults (`defaultLimits`). */
export interface Limits {
  /** Calls that run at once. */
  readonly activeMax?: number
  /** Calls that may wait for a slot; one more gets SERVER_BUSY. */
  readonly queueMax?: number
  /** How long a call waits for a slot or a key before SERVER_BUSY, in milliseconds. */
  readonly waitMs?: number
  /** How long a handler may take before TIMEOUT, in milliseconds. */
  readonly deadlineMs?: number
  /** Budget of one reply: text, structured content and media together, in bytes. At least 1024. */
  readonly egressBytesMax?: number
}

/** What a person is shown before something is destroyed. `version` binds the confirmation to the state they saw. */
export interface Preview {
  readonly text: string
  readonly version: string | number
}

/** Text; data (object or array) for the presenter or the encoder; something made by `reply`; a fault; `needInput(…)`. */
export type HandlerResult = string | object

/** Method syntax on purpose: it lets tools with different inputs share one list. */
type KeyOf<Input> = { of(input: Input): string | number }['of']

interface ToolBase<Input extends TObject> {
  /** Bare name, `snake_case`, no server prefix. */
  readonly name: string
  /** At most six words, for lists. */
  readonly summary: string
  /** What a model reads: short, concrete, says what to do next. */
  readonly description: string
  readonly title?: string
  /** Absent: the tool takes no argument at all. */
  readonly input?: Input
  /** Exactly one of these optional fields must be present. */
  readonly oneOf?: readonly string[]
  /** Schema of `structuredContent`; absent means the reply is text only. */
  readonly output?: TSchema
  readonly present?: Presenter
  /** Lets ready replies pass a declared presenter. Shown in the capability lock. */
  readonly presenterEscape?: boolean
  /**
   * The handler may return `needInput(…)`. Wires keep such tools off paths that cannot ask. `optional`: it asks only where
   * `ctx.elicit.supported` says so, and does without elsewhere.
   */
  readonly asks?: boolean | 'optional'
  readonly use?: readonly Middleware[]
  readonly limits?: Limits
  /** Key of the FIFO mutex for `write` and `destroy`. Default: the tool itself, one at a time. `null` opts out. */
  readonly serializeBy?: KeyOf<Static<Input>> | null
  readonly sync?: SyncPolicy
  /** Valid inputs, shown in the docs and run by a test. */
  readonly examples?: readonly object[]
  /** Path of nested groups when a server is exposed grouped: `['support', 'tickets']`. */
  readonly group?: readonly string[]
  handle(input: Static<Input>, ctx: ToolContext): HandlerResult | Promise<HandlerResult>
}

export interface SafeToolSpec<Input extends TObject> extends ToolBase<Input> {
  readonly effect: 'read' | 'write' | 'route'
  readonly preview?: never
}

export interface DestructiveToolSpec<Input extends TObject> extends ToolBase<Input> {
  readonly effect: 'destroy'
  /** Mandatory: shown before the confirmation. Throws a fault when there is nothing to destroy. */
  preview(input: Static<Input>, ctx: ToolContext): Preview | Promise<Preview>
}

export type ToolSpec<Input extends TObject> = SafeToolSpec<Input> | DestructiveToolSpec<Input>

/** A declared tool, its input type erased. */
export interface Tool {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly title?: string
  readonly input?: TObject
  readonly effect: Effect
  readonly oneOf?: readonly string[]
  readonly output?: TSchema
  readonly present?: Presenter
  readonly presenterEscape?: boolean
  readonly asks?: boolean | 'optional'
  readonly use?: readonly Middleware[]
  readonly limits?: Limits
  readonly serializeBy?: KeyOf<object> | null
  readonly sync?: SyncPolicy
  readonly examples?: readonly object[]
  readonly group?: readonly string[]
  handle(input: object, ctx: ToolContext): HandlerResult | Promise<HandlerResult>
  preview?(input: object, ctx: ToolContext): Preview | Promise<Preview>
}

/** The input of a tool that takes nothing. */
type NoInput = TObject<Record<string, never>>

/** Declares a tool. Inert: nothing is checked or compiled before the catalog is. */
export function defineTool<Input extends TObject = NoInput>(spec: ToolSpec<Input>): Tool {
  const tool = Object.freeze({ ...spec })
  rememberOrigin(tool)
  return tool
}

/** Whether a handler may ask the person, everywhere or where that is possible. */
export function mayAsk({ asks = false }: Pick<Tool, 'asks'>): boolean {
  return asks !== false
}
