// A named step around the handler. The name is its identity: the capability lock sees it, so put options into it.
import type { ToolContext } from './context.ts'

/** Goes on to the next step. Hand on the same `ctx`; `input` may be a changed copy. */
export type Next = (ctx: ToolContext, input: object) => unknown

export interface Middleware {
  /** Unique and complete: `rate-limit(10/60000ms)`, not `limiter`. */
  readonly id: string
  /** Returns what `next` returns (a value or a promise), something else, or a fault. */
  run(ctx: ToolContext, input: object, next: Next): unknown
}

/** @throws TypeError on an empty id: an anonymous guard could vanish unseen */
export function defineMiddleware(id: string, run: Middleware['run']): Middleware {
  if (id.trim() === '') throw new TypeError('A middleware needs an id that says what it does.')
  return Object.freeze({ id, run })
}
