// Who is signed in on this browser, for the door `operator` and for rooms behind `applicant` that ask the owner something.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf, addressOf } from '../../src/lib/address.ts'
import type { OperatorSession } from '../../src/operator/queries.ts'
import type { NewSession } from '../../src/operator/sessions.ts'
import { SESSION_MS } from '../../src/operator/sessions.ts'
import type { Visitor } from '../../src/operator/lockout.ts'

const DEVICE_MS = 365 * 86_400_000
const DEVICE_ID = /^[\w-]{16,64}$/

/** The live session of this browser. Looked up each time it is asked for, so that one that was revoked ends at once. */
export function operatorOf(request: FastifyRequest): OperatorSession | undefined {
  const { cookieJar, operators } = request.server
  const secret = cookieJar.read(request, 'operator')
  return secret === undefined ? undefined : operators.sessionOf(secret)
}

/** The device, when its cookie says that somebody signed in on it before. */
export function deviceOf(request: FastifyRequest): string | undefined {
  const id = request.server.cookieJar.read(request, 'device')
  return id !== undefined && DEVICE_ID.test(id) ? id : undefined
}

/** Where an attempt comes from, for the count of failures. A session is a device that is known already. */
export function visitorOf(request: FastifyRequest, session?: OperatorSession): Visitor {
  const device = session === undefined ? deviceOf(request) : `session-${session.id}`
  return {
    address: networkOf(addressOf(request.ip)),
    userAgent: request.headers['user-agent'] ?? '',
    device,
  }
}

/** Signs this browser in: the session, and the device for a year. */
export function signIn(request: FastifyRequest, reply: FastifyReply, { secret }: NewSession): void {
  const { cookieJar, ids } = request.server
  cookieJar.write(reply, 'operator', secret, SESSION_MS)
  cookieJar.write(reply, 'device', deviceOf(request) ?? ids.token(), DEVICE_MS)
}

/** Takes the session away from this browser; the device stays known. */
export function signOut(request: FastifyRequest, reply: FastifyReply): void {
  request.server.cookieJar.clear(reply, 'operator')
}
