// One connection to an external MCP server, whatever carries it. Those who use a link know no transport and no SDK; those
// who make one know nothing of tools, names or callers.
/** The two kinds of MCP there are: with sessions (2024-11-05 to 2025-11-25), and with one envelope a request (2026-07-28). */
export type Era = '2025' | '2026'

export type JsonObject = Readonly<Record<string, unknown>>

/** What the other side said of itself when the connection was made. */
export interface PeerFacts {
  readonly era: Era
  readonly protocolVersion: string
  readonly name: string
  readonly version: string
  readonly capabilities: JsonObject
  /** Data of a stranger: shown fenced, never merged into words of ours. */
  readonly instructions: string | undefined
}

/** An error that the other side answered, as it came. */
export interface RpcFault {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Rejected by `Link.request` when the other side answered with an error. */
export class RpcError extends Error implements RpcFault {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcFault) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** Why a connection is over, or never came to be: one sentence for a person, without secrets. */
export interface LinkEnd {
  readonly reason: string
  /** Ended by us. */
  readonly wanted: boolean
  /**
   * Nothing that was rejected with this end has been looked at by the other side (an HTTP server answered 404 to a session
   * that it no longer knows): it may be sent again over a new connection, once, whatever it does.
   */
  readonly unheard?: boolean
  readonly exitCode?: number | null
  readonly signal?: string | null
  /** The last lines of its stderr, newest last. */
  readonly stderr?: readonly string[]
}

/** Rejected by `Link.request` and `OpenLink` when there is no connection (any more). */
export class LinkFailure extends Error {
  readonly end: LinkEnd

  constructor(end: LinkEnd) {
    super(end.reason)
    this.name = 'LinkFailure'
    this.end = end
  }
}

/** Rejected by `Link.request` when the deadline passed; the other side has been told (`notifications/cancelled`). */
export class LinkTimeout extends Error {
  readonly timeoutMs: number

  constructor(method: string, timeoutMs: number) {
    super(`${method} was not answered within ${timeoutMs} ms`)
    this.name = 'LinkTimeout'
    this.timeoutMs = timeoutMs
  }
}

export interface RequestOptions {
  /** Aborting tells the other side with its own request id, and rejects at once with the reason. */
  readonly signal?: AbortSignal
  /** From sending to the answer; every progress notification starts it anew, up to `totalMs`. */
  readonly timeoutMs: number
  /** The longest a request may take in all, progress or not. Default: no such bound. */
  readonly totalMs?: number
  /** A progress token is sent only where somebody listens. */
  readonly onProgress?: (params: JsonObject) => void
  /** 2026 only: what the caller of this request can be asked, for its envelope. Default: nothing. */
  readonly capabilities?: JsonObject
  /** 2026 over HTTP only: values repeated in `Mcp-Param-*` headers, by header name. */
  readonly mirrored?: Readonly<Record<string, string>>
}

export interface Link {
  readonly peer: PeerFacts
  /** How many requests wait for an answer. */
  readonly pending: number
  /**
   * @returns the `result` exactly as it came: no field dropped, nothing validated
   * @throws RpcError, LinkFailure, LinkTimeout, or the reason of `signal`
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>
  /** Best effort: a connection that is over drops it. */
  notify(method: string, params?: JsonObject): void
  /** Never rejects. */
  readonly closed: Promise<LinkEnd>
  /** Ends it, and everything that was started for it. Repeatable; resolves when nothing of it runs any more. */
  close(): Promise<void>
}

export interface LinkHandlers {
  /** In the order they came; progress of our own requests goes to their `onProgress` instead. */
  onNotification(method: string, params: JsonObject): void
  /**
   * A request of the other side (2025: elicitation, sampling, roots). `ping` never gets here.
   * Rejecting with an RpcError answers with it; anything else answers -32603 without detail.
   */
  onRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
}

export interface OpenOptions {
  readonly handlers: LinkHandlers
  /** 2025: declared in `initialize`, for the whole connection. */
  readonly capabilities: JsonObject
  /** What was found last time; looked for where it is missing. A verdict that turns out wrong is found out and replaced. */
  readonly era?: Era
  /** From the first byte to a finished handshake. */
  readonly startTimeoutMs: number
  readonly signal?: AbortSignal
  /** Noise, stderr and oddities, for the log of the gateway. */
  readonly note: (level: 'debug' | 'warn', message: string, detail?: object) => void
}

/** How to reach a server. */
export type Target =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      /** Beside the few variables that every child gets. */
      readonly env: Readonly<Record<string, string>>
      readonly cwd?: string
    }
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** @throws LinkFailure, or the reason of `signal` */
export type OpenLink = (target: Target, options: OpenOptions) => Promise<Link>
