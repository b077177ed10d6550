// The one way to declare a tool: a frozen object. Every other mention of it anywhere is computed from this.
import type { Static, TObject, TSchema } from 'typebox'
import type { Middleware } from './middleware.ts'
import type { Presenter } from './presenter.ts'
import type { Reply } from './reply.ts'
import type { SyncPolicy } from './sync.ts'
import type { ToolContext } from './context.ts'

/**
 * What a call may do. `read` changes nothing, `write` can be repeated or undone, `destroy` needs a confirmation,
 * `route` only resolves to an inner tool, whose own effect then counts.
 */
export type Effect = 'read' | 'write' | 'destroy' | 'route'

/** Bounds of one tool. Absent fields take the runtime's defaults. */
export interface Limits {
  /** Calls that run at once. */
  activeMax?: number
  /** Calls that may wait for a slot; one more gets SERVER_BUSY. */
  queueMax?: number
  /** How long a call waits for a slot before SERVER_BUSY, in milliseconds. */
  waitMs?: number
  /** How long the handler may take before TIMEOUT, in milliseconds. */
  deadlineMs?: number
  /** Budget of one reply: text, structured content and media together, in bytes. */
  egressBytesMax?: number
}

/** What a person is shown before something is destroyed. `version` binds the confirmation to the state they saw. */
export interface Preview {
  text: string
  version: string | number
}

/** What a handler may return: text, a ready `Reply`, or data (an object or array) that the presenter or the encoder renders. */
export type HandlerResult = string | Reply | object

interface ToolBase<Input extends TObject> {
  /** Bare name, `snake_case`, no server prefix. With one dot: `group.action` of a grouped tool. */
  readonly name: string
  /** At most six words, for lists. */
  readonly summary: string
  /** What a model reads: short, concrete, says what to do next. */
  readonly description: string
  readonly input: Input
  /** Exactly one of these optional fields must be present. */
  readonly oneOf?: readonly (keyof Static<Input> & string)[]
  /** Schema of `structuredContent`; absent means the reply is text only. */
  readonly output?: TSchema
  readonly present?: Presenter
  readonly use?: readonly Middleware[]
  readonly limits?: Limits
  /** Key of the FIFO mutex for writes. Default: the tool itself. `null` opts out. */
  readonly serializeBy?: ((input: Static<Input>) => string | number) | null
  readonly sync?: SyncPolicy
  /** Valid inputs, shown in the docs and run by a test. */
  readonly examples?: readonly Static<Input>[]
  /** Path of nested groups when a server is exposed grouped. */
  readonly group?: readonly string[]
  handle(input: Static<Input>, ctx: ToolContext): HandlerResult | Promise<HandlerResult>
}

export interface SafeToolSpec<Input extends TObject> extends ToolBase<Input> {
  readonly effect: 'read' | 'write' | 'route'
}

export interface DestructiveToolSpec<Input extends TObject> extends ToolBase<Input> {
  readonly effect: 'destroy'
  /** Mandatory: shown before the confirmation. Throws a fault when there is nothing to destroy. */
  preview(input: Static<Input>, ctx: ToolContext): Preview | Promise<Preview>
}

export type ToolSpec<Input extends TObject = TObject> = SafeToolSpec<Input> | DestructiveToolSpec<Input>
