// How a call is made and how it can end.
import type { Caller, ElicitChannel, MessageLevel } from './context.ts'
import type { InputRequest, Reply } from './reply.ts'

export interface Call {
  readonly caller: Caller
  /** Id or alias of the server. */
  readonly server: string
  /** Bare or public tool name. */
  readonly tool: string
  /** Untrusted JSON; absent and null mean `{}`. */
  readonly params?: unknown
  /**
   * Aborts when the caller is gone. A function is called only when the call has to wait or the handler asks for the
   * signal, so a transport need not make an AbortController for every request.
   */
  readonly signal?: AbortSignal | (() => AbortSignal)
  readonly progress?: (done: number, total?: number, message?: string) => void
  readonly notify?: (level: MessageLevel, data: unknown, logger?: string) => void
  readonly detach?: () => void
  /** Digest of the MCP session it came in, for the audit trail; never its id. */
  readonly session?: string
  /** The client's `_meta`: traceparent, tracestate, baggage. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly elicit?: ElicitChannel
}

export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'unknown-tool'; readonly name: string; readonly message: string }
  /** A state that was forged, has expired or belongs to another caller or tool. */
  | { readonly kind: 'invalid-state' }
  | {
      readonly kind: 'input-required'
      readonly requests: Readonly<Record<string, InputRequest>>
      readonly state: string
    }
