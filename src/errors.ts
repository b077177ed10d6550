// The one vocabulary of errors that domain code throws. It says what is wrong, never how to send it:
// every scope (problem JSON, JSON-RPC, OAuth, CLI) translates it into its own dialect.

/** What a failure means to whoever asked; each dialect maps it to a status of its own. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'limited'
  | 'unavailable'
  | 'internal'

export interface ErrorDetails {
  /** What to do next, in one sentence. Shown to the caller. */
  hint?: string
  /** When a retry makes sense, in milliseconds from now. */
  retryAfterMs?: number
  /** The private reason. Goes to the log, never to a reply. */
  cause?: unknown
}

/**
 * An expected failure. `message` and `hint` are safe to show; `cause` is not.
 * @param code stable upper-case identifier, listed in `docs/ERRORS.md`
 */
export class GatewayError extends Error {
  readonly kind: ErrorKind
  readonly code: string
  readonly hint: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(kind: ErrorKind, code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.kind = kind
    this.code = code
    this.hint = details.hint
    this.retryAfterMs = details.retryAfterMs
  }
}

/** Bad configuration, found at boot only. Lists every problem at once; the process ends with exit code 78 (EX_CONFIG). */
export class ConfigError extends GatewayError {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super('invalid', 'CONFIG_INVALID', problems.join('\n'))
    this.problems = Object.freeze([...problems])
  }
}

/** Who may come in: TOKEN_INVALID, PEER_NOT_EXPOSED, LIMITED. */
export class AccessError extends GatewayError {}

/** A rule of a room: MEMORY_MISSING, SECTION_PROTECTED, DATABASE_NEWER. */
export class DomainError extends GatewayError {}

/** Something outside this process failed: PROVIDER_UNREACHABLE. */
export class RemoteError extends GatewayError {}
