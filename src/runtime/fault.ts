// A failure that a tool means: returned or thrown, it reads the same to the caller.
import { GatewayError } from '../errors.ts'
import { codeFacts, type ToolCode } from './codes.ts'

export type { ToolCode } from './codes.ts'
export type Severity = 'error' | 'critical'

export interface FaultOptions {
  /** What to do next, one sentence. Default: the advice of the code. */
  readonly recovery?: string
  /** When a repeat makes sense, in milliseconds from now. */
  readonly retryAfterMs?: number
  /** Names the caller can use instead. */
  readonly availableActions?: readonly string[]
  /** Facts for the caller; a presenter's redaction applies to them. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly severity?: Severity
  /** The private reason: goes to the log, never to the reply. */
  readonly cause?: unknown
}

/** Everything but `cause` is safe to show. */
export class ToolFault extends GatewayError {
  declare readonly code: ToolCode
  readonly recovery: string
  readonly availableActions: readonly string[] | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly severity: Severity

  constructor(code: ToolCode, message: string, options: FaultOptions = {}) {
    const facts = codeFacts(code)
    const recovery = options.recovery ?? facts.recovery
    super(facts.kind, code, message, {
      hint: recovery,
      ...(options.retryAfterMs === undefined ? {} : { retryAfterMs: options.retryAfterMs }),
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    })
    this.recovery = recovery
    this.availableActions = options.availableActions
    this.details = options.details
    this.severity = options.severity ?? 'error'
  }
}

/** Makes a fault. A handler may `return` or `throw` it. */
export function fault(code: ToolCode, message: string, options?: FaultOptions): ToolFault {
  return new ToolFault(code, message, options)
}
