// Local bearer tokens: made and named by the owner of this machine, kept only as SHA-256, revocable at once.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/client.ts'
import { onForeignChange } from '../db/foreign-change.ts'
import { AccessError, DomainError } from '../errors.ts'
import type { Clock, Log } from '../runtime/context.ts'
import { EVERY_SERVER } from './addresses.ts'
import {
  findByHash,
  findLive,
  insertToken,
  listTokens,
  markAllRevoked,
  markRevoked,
  markUsed,
  replaceHash,
  type LocalTokenRow,
} from './queries.ts'
import { createUseLog, type UseLog } from './use-log.ts'
import { createProcessKey } from './process-key.ts'
import { digestOf, VerifiedTokens, type VerifiedToken } from './verified.ts'

/** Marks a token as one of ours, for people, secret scanners and the masking of logs. */
const LOCAL_PREFIX = 'crow_local_'
const SECRET = /^crow_local_[\w-]{43}$/
/** Only integrations are parts of a server. */
const SCOPE = /^([a-z][a-z0-9-]{0,62}|tools:[a-z][a-z0-9-]{0,30})(:read)?$/
const NAME = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,80}$/u

export interface LocalToken extends LocalTokenRow {
  readonly state: 'live' | 'expired' | 'revoked'
}

export interface NewToken {
  readonly id: number
  readonly name: string
  /** In clear, this once. */
  readonly secret: string
}

interface TokenRequest {
  readonly name: string
  /** `<server>` or `<server>:read`; absent for everything. */
  readonly scopes?: readonly string[]
  /** Epoch milliseconds; absent for a token that does not expire. */
  readonly expiresAt?: number
}

export interface LocalTokens {
  /** @throws DomainError TOKEN_NAME_TAKEN, TOKEN_NAME_INVALID, TOKEN_SCOPE_INVALID */
  create(request: TokenRequest): Promise<NewToken>
  /** Every token, revoked ones too, oldest first. */
  list(): LocalToken[]
  /** Whether the token with this number would still let somebody in. */
  isLive(id: number): boolean
  /** Ends a token by number or name, from this moment on. @throws DomainError TOKEN_MISSING */
  revoke(key: number | string): Promise<LocalToken>
  /** Ends every token. @returns how many were live */
  revokeAll(): Promise<number>
  /** Gives a token a new secret; the old one ends. @throws DomainError TOKEN_MISSING */
  rotate(key: number | string): Promise<NewToken>
  /** A token for other processes of this user. It is kept nowhere, and ends with this process. */
  readonly processKey: string
  /** Tokens verified a moment ago; whoever verifies one puts it here. */
  readonly verified: VerifiedTokens
  /** Looks a token up in the database. @throws AccessError TOKEN_INVALID */
  verify(token: string): VerifiedToken
  /** Who looks up tokens that are not local ones. */
  verifyOthersWith(verify: (token: string) => VerifiedToken): void
  /** Writes the last uses and stops looking for changes of other processes. */
  close(): Promise<void>
}

/**
 * @param options.watch whether revocations by other processes are looked for (4 times a second); a short-lived command needs none
 */
export function createLocalTokens(db: Database, clock: Clock, options: { watch: boolean; log: Log }): LocalTokens {
  const verified = new VerifiedTokens()
  const own = createProcessKey()
  const uses = createUseLog(db, { ...options, mark: markUsed })
  let verifyOther: ((token: string) => VerifiedToken) | undefined
  const unwatch = options.watch ? onForeignChange(db, () => verified.clear()) : undefined
  return {
    verified,
    processKey: own.secret,
    verify(token) {
      if (own.isIt(token)) return own.verified
      if (verifyOther !== undefined && !token.startsWith(LOCAL_PREFIX)) return verifyOther(token)
      return verify(db, uses, token, clock.now())
    },
    verifyOthersWith(other) {
      verifyOther = other
    },
    list: () => listTokens(db).map((row) => shown(row, uses, clock.now())),
    async create(request) {
      refuseBadRequest(request)
      const secret = freshSecret()
      const row = rowOf(request, secret, clock.now())
      const id = await db.write((tx) => {
        if (findLive(tx, request.name) !== undefined) throw nameTaken(request.name)
        return insertToken(tx, row)
      })
      return { id, name: request.name, secret }
    },
    isLive: (id) => isLive(findLive(db, id), clock.now()),
    async revoke(key) {
      const revokedAt = clock.now()
      const row = await db.write((tx) => {
        const found = findLive(tx, key) ?? throwMissing(key)
        markRevoked(tx, found.id, revokedAt)
        return found
      })
      verified.clear()
      return { ...row, revokedAt, state: 'revoked' }
    },
    async revokeAll() {
      const now = clock.now()
      const count = await db.write((tx) => {
        const live = listTokens(tx).filter((row) => isLive(row, now)).length
        markAllRevoked(tx, now)
        return live
      })
      verified.clear()
      return count
    },
    async rotate(key) {
      const secret = freshSecret()
      const row = await db.write((tx) => {
        const found = findLive(tx, key) ?? throwMissing(key)
        replaceHash(tx, found.id, hashOf(secret))
        return found
      })
      uses.forget(row.id)
      verified.clear()
      return { id: row.id, name: row.name, secret }
    },
    async close() {
      unwatch?.()
      verified.clear()
      await uses.close()
    },
  }
}

function rowOf({ name, scopes, expiresAt }: TokenRequest, secret: string, createdAt: number) {
  return { name, hash: hashOf(secret), scopes: scopes ?? null, createdAt, expiresAt: expiresAt ?? null }
}

function verify(db: Database, uses: UseLog, token: string, now: number): VerifiedToken {
  if (!SECRET.test(token)) throw invalidToken()
  const hash = hashOf(token)
  const row = findGood(db, hash, now)
  if (row === undefined) throw invalidToken()
  const scopes = row.scopes === null ? 'all' : new Set(row.scopes)
  return {
    caller: Object.freeze({ id: `local:${row.id}`, kind: 'local', scopes, client: row.name }),
    server: EVERY_SERVER,
    expiresAt: row.expiresAt ?? Infinity,
    used: uses.recorder(row.id),
    isGood: (at) => findGood(db, hash, at) !== undefined,
  }
}

function findGood(db: Database, hash: Buffer, now: number): LocalTokenRow | undefined {
  const row = findByHash(db, hash)
  if (row === undefined || !timingSafeEqual(row.hash, hash)) return undefined
  return row.expiresAt !== null && row.expiresAt <= now ? undefined : row
}

function shown(row: LocalTokenRow, uses: UseLog, now: number): LocalToken {
  return { ...row, lastUsedAt: uses.latest(row.id, row.lastUsedAt), state: stateOf(row, now) }
}

function stateOf(row: LocalTokenRow, now: number): LocalToken['state'] {
  if (row.revokedAt !== null) return 'revoked'
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'live'
}

const isLive = (row: LocalTokenRow | undefined, now: number): boolean =>
  row !== undefined && stateOf(row, now) === 'live'

function refuseBadRequest({ name, scopes }: TokenRequest): void {
  if (!NAME.test(name) || /^\s|\s$|^\d+$/.test(name)) {
    throw new DomainError(
      'invalid',
      'TOKEN_NAME_INVALID',
      'A token needs a name of 1 to 80 visible characters that is not a number.',
    )
  }
  const bad = scopes?.find((scope) => !SCOPE.test(scope))
  if (bad !== undefined || scopes?.length === 0) {
    throw new DomainError(
      'invalid',
      'TOKEN_SCOPE_INVALID',
      `A scope is a server such as memory, memory:read, or tools:github for one integration; not ${JSON.stringify(bad ?? '')}.`,
    )
  }
}

const freshSecret = (): string => LOCAL_PREFIX + randomBytes(32).toString('base64url')
const hashOf = (secret: string): Buffer => Buffer.from(digestOf(secret), 'hex')

function invalidToken(): AccessError {
  return new AccessError('unauthenticated', 'TOKEN_INVALID', 'This token is unknown, expired or revoked.', {
    hint: 'Make one with `bin/crow token create` in the folder of Crow.',
  })
}

function nameTaken(name: string): DomainError {
  return new DomainError(
    'conflict',
    'TOKEN_NAME_TAKEN',
    `There is already a live token named ${JSON.stringify(name)}.`,
    {
      hint: 'Take another name, or revoke the old one first.',
    },
  )
}

function throwMissing(key: number | string): never {
  throw new DomainError('missing', 'TOKEN_MISSING', `There is no live token ${JSON.stringify(key)}.`, {
    hint: '`crow token list` shows them.',
  })
}
