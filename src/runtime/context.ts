// What a handler may reach: who calls, the database, the ports, and the only clock, ids and log there are.
import type { Database } from '../db/client.ts'
import type { ChangeBus } from './bus.ts'
import type { ClientPlace } from './client-place.ts'

export interface Caller {
  /** Stable per principal; limits, confirmations and kept rests are bound to it. */
  readonly id: string
  readonly kind: 'local' | 'oauth' | 'peer' | 'loopback' | 'stdio' | 'cli'
  /** `<server>` or `<server>:read`; `'all'` for the owner. */
  readonly scopes: ReadonlySet<string> | 'all'
  /** The client's own name, for logs only. */
  readonly client?: string
  /**
   * What the client can be asked, where that matters: those of `elicitation`, `elicitation.url`, `sampling` and
   * `sampling.tools` that it declared, sorted, joined by commas. Absent: nothing.
   */
  readonly abilities?: string
  /** Where the client works, as it says; only for what it is told. */
  readonly place?: ClientPlace | undefined
  /** The id of the client at the authorization server, which outlives its tokens. */
  readonly clientId?: string
  /** The profile that the client's address names: what it is shown, never what it may do. */
  readonly profile?: string
}

export interface Clock {
  /** Epoch milliseconds, UTC. */
  now(): number
  /** Milliseconds since any fixed point, never going back. Absent: `now` serves. */
  monotonicMs?(): number
}

export interface Ids {
  /** UUIDv7. */
  uid(): string
  /** At least 128 random bits, base64url. */
  token(): string
}

/** The part of pino that we use. */
export interface Log {
  debug(detail: object, message?: string): void
  info(detail: object, message?: string): void
  warn(detail: object, message?: string): void
  error(detail: object, message?: string): void
}

/** Where a search goes that crosses rooms. Declared by servers, collected by the catalog into `ctx.ports.searchables`. */
export interface Searchable {
  /** Plural noun, unique: `memories`, `posts`. */
  readonly id: string
  search(request: SearchRequest, ctx: ToolContext): readonly SearchableHit[] | Promise<readonly SearchableHit[]>
}
export interface SearchRequest {
  readonly text: string
  readonly limit: number
  /** Only what belongs to this project, where a searchable knows projects. */
  readonly projectId?: number
  /** Only what is at least this important (1-10), where a searchable knows importance. */
  readonly importanceMin?: number
}
export interface SearchableHit {
  readonly id: number | string
  readonly title: string
  readonly text: string
  /** Higher is better; comparable inside one searchable only. */
  readonly score: number
  /** Epoch milliseconds of the item, if it has a time. */
  readonly at?: number
  readonly uri?: string
}

/** Open: a room adds its port by declaration merging, `app.ts` fills it. */
export interface Ports {
  readonly searchables: readonly Searchable[]
  readonly bus: ChangeBus
}

/** Open: what middlewares derive for later steps; a fresh object per request without a prototype. */
export interface Derived {
  [key: string]: unknown
}

/** The wire's offer to ask the person. `responses` and `state` are there from the second round on. */
export interface ElicitChannel {
  readonly supported: boolean
  /** What else this client can be asked; absent means nothing else. */
  readonly can?: { readonly url?: boolean; readonly sampling?: boolean; readonly roots?: boolean }
  readonly responses?: Readonly<Record<string, unknown>>
  readonly state?: string
}

/** W3C trace context as the client's `_meta` gave it (`traceparent`, `tracestate`, `baggage`). */
export interface TraceContext {
  readonly traceId: string
  readonly parentId: string
  readonly sampled: boolean
  readonly tracestate?: string
  readonly baggage?: string
}

export const MESSAGE_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type MessageLevel = (typeof MESSAGE_LEVELS)[number]

export interface ToolContext {
  readonly caller: Caller
  readonly db: Database
  readonly ports: Ports
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Aborts when the caller is gone, the deadline has passed or the gateway closes. */
  readonly signal: AbortSignal
  readonly elicit: ElicitChannel
  readonly trace: TraceContext | undefined
  /** From which level on the client wants messages of this call, where it said so (`_meta` of 2026-07-28). */
  readonly logLevel?: MessageLevel | undefined
  readonly derived: Derived
  /**
   * The preview's version of what is to be destroyed, as it was confirmed. The handler destroys only that, compared inside its
   * write: others may have changed the item since. Undefined where confirmations are off.
   */
  readonly confirmedVersion: string | number | undefined
  /** Whether the person confirmed it, asked through their client, and not the model with its token. */
  readonly confirmedInPerson: boolean
  /** Tells the client how far the work is; does nothing where nobody listens. */
  progress(done: number, total?: number, message?: string): void
  /** A log message to the client (`notifications/message`); does nothing where nobody listens. */
  notify(level: MessageLevel, data: unknown, logger?: string): void
  /** Lets the client's stream go early; the answer waits for its return. Does nothing where there is no stream. */
  detach(): void
}

/** What the context factory is told about the call it makes a context for. */
export interface CallFacts {
  readonly caller: Caller
  readonly server: string
  readonly tool: string
  readonly meta: Readonly<Record<string, unknown>> | undefined
}
export interface ContextParts {
  readonly db?: Database
  /** `searchables` and `bus` come from the catalog unless given here. */
  readonly ports?: Partial<Ports>
  /** Copied onto the fresh `ctx.derived`; prototype keys are skipped. */
  readonly derived?: Readonly<Record<string, unknown>>
}
/** Runs exactly once per request that reaches a handler. */
export type ContextFactory = (facts: CallFacts) => ContextParts | Promise<ContextParts>
