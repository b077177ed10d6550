// The owner's doings for the audit trail: the same operations, each with a row of how it ended. Codes of failures, never what was typed.
import type { AccessEvent, AccessEventName, AuditLog } from '../db/audit.ts'
import { GatewayError } from '../errors.ts'
import type { Visitor } from './lockout.ts'
import type { Operators } from './operators.ts'
import type { OperatorSession } from './queries.ts'

type Facts = Omit<AccessEvent, 'event' | 'outcome'>

/** @param by who acts where a call does not say: the owner at the dashboard, or whoever has the terminal */
export function auditedOperators(
  operators: Operators,
  audit: Pick<AuditLog, 'access'>,
  by: () => 'operator' | 'cli',
): Operators {
  const noted = async <T>(
    event: AccessEventName,
    facts: Facts,
    work: Promise<T>,
    more?: (result: T) => Facts,
  ): Promise<T> => {
    try {
      const result = await work
      audit.access({ event, outcome: 'ok', ...facts, ...more?.(result) })
      return result
    } catch (error) {
      if (error instanceof GatewayError)
        audit.access({ event: error.code === 'LOGIN_LOCKED' ? 'lockout' : event, outcome: error.code, ...facts })
      throw error
    }
  }
  const actor = (): Facts => ({ caller: by(), callerKind: by() })
  const terminal: Facts = { caller: 'cli', callerKind: 'cli' }

  return {
    ...operators,
    makeSetupCode: () => noted('setup_code', terminal, operators.makeSetupCode()),
    setUp: (request) => noted('setup', from(request), operators.setUp(request), signedIn),
    login: (request) => noted('login', from(request), operators.login(request), signedIn),
    revoke: (id) => noted('session_revoke', { ...actor(), subject: `session:${id}` }, operators.revoke(id)),
    revokeAll: (exceptId) =>
      noted('session_revoke', { ...actor(), subject: 'session:all' }, operators.revokeAll(exceptId)),
    changePassword: (request) =>
      noted('password_change', { ...owner, ...from(request) }, operators.changePassword(request), signedIn),
    setPassword: (password) => noted('password_change', terminal, operators.setPassword(password)),
    enrolFactor: (session, password, visitor) =>
      noted(
        'totp_enrol',
        { ...signedIn({ session }), ...from(visitor) },
        operators.enrolFactor(session, password, visitor),
      ),
    confirmFactor: (session, code, visitor) =>
      noted(
        'totp_confirm',
        { ...signedIn({ session }), ...from(visitor) },
        operators.confirmFactor(session, code, visitor),
      ),
    disableFactor: (proof) =>
      noted(
        'totp_disable',
        proof === undefined ? terminal : { ...owner, ...from(proof.visitor) },
        operators.disableFactor(proof),
      ),
    makeRecoveryCodes: (password, visitor) =>
      noted('recovery_codes', { ...owner, ...from(visitor) }, operators.makeRecoveryCodes(password, visitor)),
    forgiveFailures: () => noted('failures_forgive', terminal, operators.forgiveFailures()),
  }
}

const owner: Facts = { caller: 'operator', callerKind: 'operator' }

/** Signed in, by the number of the session. */
function signedIn({ session }: { session: OperatorSession }): Facts {
  return { ...owner, session: String(session.id) }
}

/** What the trail keeps of a visitor: the address, not the browser's words. */
const from = ({ address }: Visitor): Facts => ({ address })
