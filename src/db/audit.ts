// The audit trail: rows are kept in memory for a moment and written in one transaction, so that a call does not wait for it.
import type { Statement } from 'better-sqlite3'
import { WriteBehind } from './write-behind.ts'
import type { Database } from './client.ts'

/** One tool call. */
export interface AuditRow {
  /** Epoch milliseconds. */
  readonly at: number
  readonly caller: string
  /** How they came in. */
  readonly callerKind: string
  /** What the client calls itself. */
  readonly client?: string | undefined
  /** Digest of the MCP session. */
  readonly session?: string | undefined
  readonly address?: string | undefined
  readonly subject?: string | undefined
  readonly server: string
  readonly tool: string
  readonly effect: string
  readonly outcome: string
  readonly bytes: number
  readonly durationMs: number
}

/** What can happen at the doors. The word is the `tool` of the row; its server is `gateway`. */
export type AccessEventName =
  | 'setup'
  | 'setup_code'
  | 'login'
  | 'lockout'
  | 'password_change'
  | 'totp_enrol'
  | 'totp_confirm'
  | 'totp_disable'
  | 'recovery_codes'
  | 'session_revoke'
  | 'failures_forgive'
  | 'client_register'
  | 'consent'
  | 'token_issue'
  | 'token_refresh'
  | 'token_revoke'
  | 'refresh_reuse'
  | 'authorization_revoke'
  | 'consent_forget'
  | 'client_forget'
  | 'local_token_create'
  | 'local_token_rotate'
  | 'local_token_revoke'
  | 'key_rotate'
  | 'server_add'
  | 'server_remove'
  | 'server_enable'
  | 'server_disable'
  | 'profile_set'
  | 'profile_remove'
  | 'context_approve'
  | 'context_reject'

/** One event at the doors. Names and numbers only: no password, code, token, cookie, or part of one. */
export interface AccessEvent {
  readonly event: AccessEventName
  /** `ok`, or why not: the code of the failure (`TOKEN_INVALID`), or a word (`denied`). */
  readonly outcome: string
  /** Who did it: `operator`, `oauth:12`, `local:3`, `client:<client id>`. Absent: nobody was identified. */
  readonly caller?: string | undefined
  readonly callerKind?: 'operator' | 'oauth' | 'local' | 'loopback' | 'stdio' | 'peer' | 'cli' | 'stranger' | undefined
  /** What the client calls itself. */
  readonly client?: string | undefined
  /** Whose session of the dashboard, by its number. */
  readonly session?: string | undefined
  /** Network address it came from. */
  readonly address?: string | undefined
  /** What it was done to, where that is not the caller: `local:3`, `oauth:12`, `session:4`. */
  readonly subject?: string | undefined
}

/** The part of a logger used here. */
export interface WarnLog {
  warn(detail: object, message: string): void
}

export interface AuditLog {
  /** Keeps a row; it is on disk within about a quarter of a second. */
  record(row: AuditRow): void
  /** The same for an event at the doors, which happens now. Never throws. */
  access(event: AccessEvent): void
  /** Resolves when everything recorded so far is written, or could not be. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface AuditClock {
  /** Epoch milliseconds. */
  now(): number
}

/** Server of the rows that are no tool calls. */
export const GATEWAY = 'gateway'

const FLUSH_MS = 250
/** The longest pause between attempts while the database cannot be written. */
const RETRY_MS_MAX = 30_000
/** Rows kept while the database cannot be written; beyond it the oldest are dropped and counted. */
const KEPT_MAX = 20_000
/** Names that clients give themselves are cut to this. */
const NAME_CHARS_MAX = 128

const CALL_COLUMNS = [
  'at',
  'caller',
  'caller_kind',
  'client',
  'session',
  'server',
  'tool',
  'effect',
  'outcome',
  'bytes',
  'duration_ms',
]
/** Only events at the doors have these; a tool call does not pay for binding them. */
const EVENT_COLUMNS = [...CALL_COLUMNS, 'address', 'subject']
/** Rows per statement: one insert of many rows costs half of many inserts. */
const ROWS_PER_INSERT = 32

interface Inserts {
  readonly event: Statement
  readonly call: Statement
  readonly calls: Statement
}

function insertOf({ sqlite }: Database, columns: readonly string[], rows: number): Statement {
  const row = `(${columns.map(() => '?').join(', ')})`
  return sqlite.prepare(`INSERT INTO audit (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`)
}

/** Opens the trail for writing. */
export function createAuditLog(db: Database, log: WarnLog, clock: AuditClock): AuditLog {
  const inserts: Inserts = {
    event: insertOf(db, EVENT_COLUMNS, 1),
    call: insertOf(db, CALL_COLUMNS, 1),
    calls: insertOf(db, CALL_COLUMNS, ROWS_PER_INSERT),
  }
  let kept: AuditRow[] = []
  let dropped = 0
  const later = new WriteBehind({
    flushMs: FLUSH_MS,
    retryMsMax: RETRY_MS_MAX,
    async write() {
      const rows = kept
      kept = []
      try {
        await db.write(() => insertAll(inserts, rows))
      } catch (error) {
        kept = rows.concat(kept)
        throw error
      }
    },
    failed: (error) =>
      log.warn({ err: error, rows: kept.length, dropped }, 'the audit trail could not be written; trying again'),
    isPending: () => kept.length > 0,
  })
  const record = (row: AuditRow): void => {
    if (kept.length >= KEPT_MAX) {
      kept = kept.slice(KEPT_MAX / 4)
      dropped += KEPT_MAX / 4
    }
    kept.push(row)
    later.arm()
  }
  return {
    record,
    access: (event) => record(rowOf(event, clock.now())),
    flush: () => later.flush(),
    close: () => later.close(),
  }
}

function rowOf({ event, caller, callerKind, client, ...rest }: AccessEvent, at: number): AuditRow {
  return {
    ...rest,
    at,
    caller: caller ?? 'stranger',
    callerKind:
      callerKind ?? (caller === undefined ? 'stranger' : (/^(operator|oauth|local)\b/.exec(caller)?.[1] ?? '')),
    client: client?.slice(0, NAME_CHARS_MAX).toWellFormed(),
    server: GATEWAY,
    tool: event,
    effect: 'access',
    bytes: 0,
    durationMs: 0,
  }
}

/** In the order they were recorded. */
function insertAll(inserts: Inserts, rows: readonly AuditRow[]): void {
  let calls: AuditRow[] = []
  const insertCalls = (): void => {
    if (calls.length === ROWS_PER_INSERT) inserts.calls.run(calls.flatMap(valuesOf))
    else for (const call of calls) inserts.call.run(valuesOf(call))
    calls = []
  }
  for (const row of rows) {
    if (row.address === undefined && row.subject === undefined) {
      calls.push(row)
      if (calls.length === ROWS_PER_INSERT) insertCalls()
    } else {
      insertCalls()
      inserts.event.run([...valuesOf(row), row.address ?? null, row.subject ?? null])
    }
  }
  insertCalls()
}

function valuesOf(row: AuditRow): (string | number | null)[] {
  return [
    row.at,
    row.caller,
    row.callerKind,
    row.client ?? null,
    row.session ?? null,
    row.server,
    row.tool,
    row.effect,
    row.outcome,
    row.bytes,
    Math.round(row.durationMs),
  ]
}
