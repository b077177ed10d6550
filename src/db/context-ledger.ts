// The context ledger on the disk: lines of several processes add up, and a day has a bounded number of clients.
import { and, asc, desc, eq, gte, or, sql } from 'drizzle-orm'
import type { Statement } from 'better-sqlite3'
import type { Database, Tx } from './client.ts'
import { contextLedger } from './schema/ledger.ts'

/** A day, a client and a mount, with what was counted. Bytes are UTF-8. */
export type LedgerLine = Readonly<typeof contextLedger.$inferSelect>

/** Where everybody goes that came when a day was full. */
export const OTHER_CLIENTS = 'other'
/** Clients that a day tells apart. */
export const CLIENTS_A_DAY = 64

const SUMS = [
  'lists',
  'list_bytes',
  'direct_bytes',
  'discovers',
  'discover_bytes',
  'errors',
  'error_bytes',
  'replies',
  'reply_bytes',
] as const

export interface LedgerWriter {
  /** Adds lines to what is there; called inside a write. */
  add(lines: readonly LedgerLine[]): void
}

export function ledgerWriter({ sqlite }: Pick<Tx, 'sqlite'>, clientsMax = CLIENTS_A_DAY): LedgerWriter {
  const upsert = sqlite.prepare(
    `INSERT INTO context_ledger (day, caller, client, mount, ${SUMS.join(', ')})
     VALUES (?, ?, ?, ?, ${SUMS.map(() => '?').join(', ')})
     ON CONFLICT (day, caller, client, mount) DO UPDATE SET ${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  const known: Statement<[number, string, string], number> = sqlite
    .prepare<[number, string, string], number>(
      'SELECT 1 FROM context_ledger WHERE day = ? AND caller = ? AND client = ? LIMIT 1',
    )
    .pluck()
  const count: Statement<[number], number> = sqlite
    .prepare<[number], number>(
      'SELECT count(*) FROM (SELECT DISTINCT caller, client FROM context_ledger WHERE day = ?)',
    )
    .pluck()
  return {
    add(lines) {
      for (const line of lines) {
        const { day, caller, client, mount } = line
        const isKnown = known.get(day, caller, client) !== undefined || (count.get(day) ?? 0) < clientsMax
        const who = isKnown ? [caller, client] : [OTHER_CLIENTS, OTHER_CLIENTS]
        upsert.run(day, ...who, mount, ...sumsOf(line))
      }
    },
  }
}

const sumsOf = (line: LedgerLine): number[] => [
  line.lists,
  line.listBytes,
  line.directBytes,
  line.discovers,
  line.discoverBytes,
  line.errors,
  line.errorBytes,
  line.replies,
  line.replyBytes,
]

export interface LedgerFilter {
  /** The first day, as days since 1970-01-01. */
  readonly since: number
  /** Only lines of exactly this caller. */
  readonly caller?: string | undefined
  /** A caller, or what a client calls itself, in any case. */
  readonly client?: string | undefined
}

/** Newest day first. */
export function readLedger({ orm }: Pick<Database, 'orm'>, { since, caller, client }: LedgerFilter): LedgerLine[] {
  const { day, caller: by, client: name, mount } = contextLedger
  return orm
    .select()
    .from(contextLedger)
    .where(
      and(
        gte(day, since),
        caller === undefined ? undefined : eq(by, caller),
        client === undefined ? undefined : or(eq(by, client), sql`lower(${name}) = lower(${client})`),
      ),
    )
    .orderBy(desc(day), asc(name), asc(by), asc(mount))
    .all()
}
