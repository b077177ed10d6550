// Who was let in, by which client, for what: every consent is one authorization, a family of tokens that lives and ends together.
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import type { Clock } from '../runtime/context.ts'
import { placeOfRedirect } from './redirects.ts'
import { keyOf } from './store/conceal.ts'
import {
  dropArtifact,
  dropFamily,
  findAuthorization,
  findAuthorizationNumber,
  insertAuthorization,
  isAuthorizationLive,
  listGrants,
  listLiveAuthorizations,
  markClientUsed,
  type AuthorizationRow,
} from './store/queries.ts'
import { dropConsents, putConsent, putDocument, findConsent } from './store/remembered/queries.ts'

export type Authorization = Omit<AuthorizationRow, 'grantId' | 'revokedAt'>

export interface NewAuthorization {
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  readonly redirectHost: string
  /** Null for every server within the scopes. */
  readonly server: string | null
  readonly scopes: readonly string[]
  /** The metadata document of a client that did not register: kept, so that it may go on while its host does not answer. */
  readonly document?: Readonly<Record<string, unknown>> | undefined
}

/** What a consent was given to. */
export interface ConsentRequest {
  readonly clientId: string
  /** Where the answer goes. */
  readonly redirectUri: string
  readonly audience: string
  readonly asked: readonly string[]
}

export interface Authorizations {
  /** Those that can still be used, newest first. */
  list(): Authorization[]
  /** Whether this one is not revoked, and something of it has not expired. */
  isLive(id: number): boolean
  /** Ends one, its tokens and the remembered consent of its client, from this moment on. @throws DomainError AUTHORIZATION_MISSING */
  revoke(id: number): Promise<void>
  /** Ends every one. @returns how many there were */
  revokeAll(): Promise<number>
  add(authorization: NewAuthorization): Promise<number>
  /** Whether this client was let in, and not sent away since. */
  knows(clientId: string): boolean
  /** Number of the authorization with this grant, also of one that ended. */
  numberOf(grantId: string): number | undefined
  /** Whoever said no to a client is asked by it again, whatever they said before, wherever its answer goes. */
  forget(request: Pick<ConsentRequest, 'clientId' | 'audience'>): Promise<void>
  remember(request: ConsentRequest, granted: readonly string[]): Promise<void>
  /** The scopes that were granted for exactly this request before, or undefined. */
  remembered(request: ConsentRequest): string[] | undefined
}

/**
 * @param onRevoked called when tokens may have ended, so that caches look again
 * @param lastUse the later of a written use and of one that this process has only noted
 */
export function createAuthorizations(
  db: Database,
  clock: Clock,
  onRevoked: () => void,
  lastUse: (id: number, written: number | null) => number | null = (_id, written) => written,
): Authorizations {
  const end = async (families: readonly string[], clientId?: string): Promise<void> => {
    await db.write((tx) => {
      for (const grantId of families) {
        dropFamily(tx, grantId, clock.now())
        dropArtifact(tx, keyOf('Grant', grantId))
      }
      dropConsents(tx, clientId)
    })
    onRevoked()
  }
  return {
    list: () =>
      listLiveAuthorizations(db, clock.now()).map(({ grantId: _grantId, revokedAt: _revokedAt, ...shown }) => ({
        ...shown,
        lastUsedAt: lastUse(shown.id, shown.lastUsedAt),
      })),
    isLive: (id) => isAuthorizationLive(db, id, clock.now()),
    async revoke(id) {
      const row = findAuthorization(db, id)
      if (row === undefined)
        throw new DomainError('missing', 'AUTHORIZATION_MISSING', `There is no connected client with number ${id}.`)
      await end([row.grantId], row.clientId)
    },
    async revokeAll() {
      const rows = listGrants(db)
      const live = listLiveAuthorizations(db, clock.now()).length
      await end(rows.map(({ grantId }) => grantId))
      return live
    },
    knows: (clientId) => listGrants(db, clientId).length > 0,
    numberOf: (grantId) => findAuthorizationNumber(db, grantId),
    add: ({ scopes, document, ...authorization }) =>
      db.write((tx) => {
        const createdAt = clock.now()
        if (document !== undefined) putDocument(tx, { id: authorization.clientId, document, keptAt: createdAt })
        markClientUsed(tx, authorization.clientId, createdAt)
        return insertAuthorization(tx, { ...authorization, scopes: [...scopes], createdAt })
      }),
    forget: ({ clientId, audience }) => db.write((tx) => dropConsents(tx, clientId, audience)),
    remember: (request, granted) =>
      db.write((tx) => putConsent(tx, { ...keyed(request), granted: joined(granted), createdAt: clock.now() })),
    remembered(request) {
      const granted = findConsent(db, keyed(request))
      return granted?.split(' ')
    },
  }
}

const joined = (scopes: readonly string[]): string => [...scopes].toSorted().join(' ')
const keyed = ({ clientId, redirectUri, audience, asked }: ConsentRequest) => ({
  clientId,
  redirect: placeOfRedirect(redirectUri),
  audience,
  asked: joined(asked),
})
