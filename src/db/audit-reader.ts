// Reads the audit trail: newest first, or what came after a row that was seen.
import { and, asc, desc, eq, gt, gte, notInArray, or, sql, type SQL } from 'drizzle-orm'
import type { Database } from './client.ts'
import { audit } from './schema/audit.ts'

export type AuditEntry = typeof audit.$inferSelect

export interface AuditFilter {
  /** Epoch milliseconds; rows of this moment and later. */
  readonly since?: number | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  /** Who: `local:3`, how they came in (`oauth`), or what the client calls itself, in any case. */
  readonly caller?: string | undefined
  /** `ok`, a code, or `failed` for all that went wrong. */
  readonly outcome?: string | undefined
}

/** Ends of a call that are no failures. */
const GOOD = ['ok', 'confirm', 'input-required']

/** @param limit rows at most */
export function newestAudit({ orm }: Pick<Database, 'orm'>, filter: AuditFilter, limit: number): AuditEntry[] {
  return orm.select().from(audit).where(conditionOf(filter)).orderBy(desc(audit.at), desc(audit.id)).limit(limit).all()
}

/** What was written after the row `id`, oldest first. */
export function auditAfter(
  { orm }: Pick<Database, 'orm'>,
  filter: AuditFilter,
  id: number,
  limit: number,
): AuditEntry[] {
  return orm
    .select()
    .from(audit)
    .where(and(gt(audit.id, id), conditionOf(filter)))
    .orderBy(asc(audit.id))
    .limit(limit)
    .all()
}

/** Id of the newest row; 0 without any. */
export function lastAuditId({ orm }: Pick<Database, 'orm'>): number {
  return orm.select({ id: audit.id }).from(audit).orderBy(desc(audit.id)).limit(1).get()?.id ?? 0
}

/** Whether a call or an event ended well. */
export function isGoodOutcome(outcome: string): boolean {
  return GOOD.includes(outcome)
}

function conditionOf({ since, server, tool, caller, outcome }: AuditFilter): SQL | undefined {
  return and(
    since === undefined ? undefined : gte(audit.at, since),
    server === undefined ? undefined : eq(audit.server, server),
    tool === undefined ? undefined : eq(audit.tool, tool),
    caller === undefined
      ? undefined
      : or(
          eq(audit.caller, caller),
          eq(audit.callerKind, caller),
          eq(audit.subject, caller),
          sql`lower(${audit.client}) = lower(${caller})`,
        ),
    outcome === undefined
      ? undefined
      : outcome === 'failed'
        ? notInArray(audit.outcome, GOOD)
        : sql`lower(${audit.outcome}) = lower(${outcome})`,
  )
}
