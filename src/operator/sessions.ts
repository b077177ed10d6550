// Sessions of the signed-in owner. The secret is in the cookie and nowhere else; the database knows its SHA-256.
import { createHash, randomBytes } from 'node:crypto'
import type { Database, Tx } from '../db/client.ts'
import type { Clock, Log } from '../runtime/context.ts'
import type { Visitor } from './lockout.ts'
import {
  endSession,
  endSessions,
  findSession,
  insertSession,
  listSessions,
  markSeen,
  sweep,
  type OperatorSession,
} from './queries.ts'

export const SESSION_MS = 30 * 86_400_000
const IDLE_MS = 7 * 86_400_000
const SEEN_EVERY_MS = 60_000
const USER_AGENT_MAX = 300
/** How long an ended session is remembered. */
const ENDED_KEPT_MS = 30 * 86_400_000
const SECRET = /^[\w-]{43}$/

export interface NewSession {
  /** Goes into the cookie. */
  readonly secret: string
  readonly session: OperatorSession
}

export interface Sessions {
  /** The live session of a secret. Notes that it was seen, at most once a minute. */
  find(secret: string): OperatorSession | undefined
  /** Every live one, the one seen last first. */
  list(): OperatorSession[]
  /** Begins one, with a secret nobody has seen. Inside the write that lets the owner in. */
  begin(tx: Tx, visitor: Visitor): NewSession
  end(id: number): Promise<boolean>
  /** @returns how many ended */
  endAll(exceptId?: number): Promise<number>
}

export function createSessions(db: Database, clock: Pick<Clock, 'now'>, log: Log): Sessions {
  const seen = ({ id, lastSeenAt }: OperatorSession, now: number): void => {
    if (Math.abs(now - lastSeenAt) < SEEN_EVERY_MS) return
    // A request is answered all the same; the next one notes it again.
    db.write((tx) => markSeen(tx, id, now)).catch((error: unknown) =>
      log.warn({ err: error }, 'a session was not noted as seen'),
    )
  }
  return {
    find(secret) {
      if (!SECRET.test(secret)) return undefined
      const session = findSession(db, hashOf(secret))
      const now = clock.now()
      if (session === undefined || !isLive(session, now)) return undefined
      seen(session, now)
      return session
    },
    list() {
      const now = clock.now()
      return listSessions(db).filter((session) => isLive(session, now))
    },
    begin(tx, visitor) {
      const now = clock.now()
      sweep(tx, now, ENDED_KEPT_MS)
      const secret = randomBytes(32).toString('base64url')
      const session = insertSession(tx, {
        hash: hashOf(secret),
        userAgent: visitor.userAgent.slice(0, USER_AGENT_MAX),
        address: visitor.address,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: now + SESSION_MS,
      })
      return { secret, session }
    },
    end: (id) => db.write((tx) => endSession(tx, id, clock.now())),
    endAll: (exceptId) => db.write((tx) => endSessions(tx, clock.now(), exceptId)),
  }
}

/** Used within a week, and begun within a month. */
const isLive = (session: OperatorSession, now: number): boolean =>
  session.expiresAt > now && session.lastSeenAt + IDLE_MS > now

const hashOf = (secret: string): Buffer => createHash('sha256').update(`session:${secret}`).digest()
