// Turns whatever was thrown into a fault. Expected errors keep their words; anything else becomes an incident whose
// detail goes to the log only.
import { GatewayError, type ErrorKind } from '../../errors.ts'
import type { ToolCode } from '../codes.ts'
import { fault, ToolFault } from '../fault.ts'
import type { Run } from '../run.ts'

const codeOfKind: Readonly<Record<ErrorKind, ToolCode>> = {
  invalid: 'VALIDATION_ERROR',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  missing: 'NOT_FOUND',
  conflict: 'CONFLICT',
  limited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
  internal: 'INTERNAL_ERROR',
}

/** Said when a limited or unavailable thing gave no time of its own. */
const RETRY_AFTER_MS = 1000

export function asFault(run: Run, error: unknown): ToolFault {
  if (run.isGone) return afterwards(run, error)
  if (error instanceof ToolFault) {
    if (error.cause !== undefined) logCause(run, error)
    return error
  }
  if (!(error instanceof GatewayError) || error.kind === 'internal') return incident(run, error)
  if (error.cause !== undefined) logCause(run, error)
  const waits = error.kind === 'limited' || error.kind === 'unavailable'
  const retryAfterMs = error.retryAfterMs ?? (waits ? RETRY_AFTER_MS : undefined)
  return fault(codeOfKind[error.kind], error.message, {
    ...(error.hint === undefined ? {} : { recovery: error.hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** The answer was given already; a handler that stops because it was told to is no incident. */
function afterwards(run: Run, error: unknown): ToolFault {
  run.engine.log.warn(
    { server: run.target.server, tool: run.target.publicName, err: error },
    'an abandoned call ended with an error',
  )
  return error instanceof ToolFault ? error : fault('CANCELLED', 'The call was cancelled.')
}

function incident(run: Run, error: unknown): ToolFault {
  const id = run.engine.ids.uid()
  run.incident = id
  run.engine.log.error(
    { incident: id, server: run.target.server, tool: run.target.publicName, err: error },
    'a tool failed unexpectedly',
  )
  return fault('INTERNAL_ERROR', `Something went wrong inside the gateway (incident ${id}).`)
}

function logCause(run: Run, error: GatewayError): void {
  run.engine.log.warn(
    { server: run.target.server, tool: run.target.publicName, code: error.code, err: error.cause },
    error.message,
  )
}
