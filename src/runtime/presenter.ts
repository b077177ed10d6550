// What may leave: an allow-list by schema, a list limit, redaction, and the blocks derived from the redacted data.
import type { Static, TSchema } from 'typebox'
import type { ToolContext } from './context.ts'

export interface UiBlock {
  readonly kind: 'table' | 'list' | 'markdown' | 'mermaid' | 'chart' | 'code'
  /** Text as it is; the runtime escapes it. */
  readonly text: string
}
export interface Suggestion {
  readonly tool: string
  readonly reason: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface PresenterSpec<Schema extends TSchema = TSchema> {
  /** Of one item when the handler returns an array, else of the whole. Undeclared keys never leave. */
  readonly schema: Schema
  /** Rows kept of an array; the rest is counted, not parsed. */
  readonly listMax?: number
  /** Dotted paths into the schema, `*` for every element: `email`, `people.*.phone`. */
  readonly redact?: readonly string[]
  /** What replaces a redacted string. Default `[redacted]`. */
  readonly mask?: string
  /** The text a model reads instead of JSON. Sees redacted data, like everything below. */
  render?(data: Static<Schema>, ctx: ToolContext): string
  rules?(data: Static<Schema>, ctx: ToolContext): readonly string[]
  ui?(data: Static<Schema>, ctx: ToolContext): readonly UiBlock[]
  suggest?(data: Static<Schema>, ctx: ToolContext): readonly Suggestion[]
  /** Attributes for traces; the only data of a reply that observers ever see. */
  attributes?(data: Static<Schema>): Readonly<Record<string, string | number | boolean>>
}

/** A presenter with its schema type erased, so that tools of all shapes fit one list. */
export interface Presenter {
  readonly schema: TSchema
  readonly listMax?: number
  readonly redact?: readonly string[]
  readonly mask?: string
  render?(data: unknown, ctx: ToolContext): string
  rules?(data: unknown, ctx: ToolContext): readonly string[]
  ui?(data: unknown, ctx: ToolContext): readonly UiBlock[]
  suggest?(data: unknown, ctx: ToolContext): readonly Suggestion[]
  attributes?(data: unknown): Readonly<Record<string, string | number | boolean>>
}

/** The functions get each item of a list in turn, or the whole data otherwise. */
export function definePresenter<Schema extends TSchema>(spec: PresenterSpec<Schema>): Presenter {
  return Object.freeze({ ...spec })
}
