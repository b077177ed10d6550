// How a change of crow.md that waits is decided, and that it was: the same row in the audit trail whether the person said so in
// their client or at a terminal.
import type { AccessEvent, AuditLog } from '../../db/audit.ts'
import type { Database } from '../../db/client.ts'
import { GatewayError } from '../../errors.ts'
import type { Clock } from '../../runtime/context.ts'
import { approve, reject } from './approval.ts'
import type { Proposal } from './queries/proposals.ts'

export type Verdict = 'approve' | 'reject'

export interface DecisionFacts {
  readonly db: Database
  readonly clock: Clock
  /** Absent: nothing is written down. */
  readonly audit?: Pick<AuditLog, 'access'> | undefined
  /** Through whom the person decided. */
  readonly by: Pick<AccessEvent, 'caller' | 'callerKind' | 'client'>
}

/** @throws DomainError when there is no such change, or the section has changed since it was made */
export async function decideChange(facts: DecisionFacts, id: number, verdict: Verdict): Promise<Proposal> {
  const { db, clock } = facts
  const subject = `change:${id}`
  try {
    const proposal = await (verdict === 'approve' ? approve(db, id, clock) : reject(db, id))
    noteDecision(facts, verdict, 'ok', subject)
    return proposal
  } catch (error) {
    if (error instanceof GatewayError) noteDecision(facts, verdict, error.code, subject)
    throw error
  }
}

/** @param subject `change:4`, or `section:7` where the person decided before anything had to wait */
export function noteDecision(
  { audit, by }: Pick<DecisionFacts, 'audit' | 'by'>,
  verdict: Verdict,
  outcome: string,
  subject: string,
): void {
  audit?.access({ event: `context_${verdict}`, outcome, ...by, subject })
}
