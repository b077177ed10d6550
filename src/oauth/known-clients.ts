// What is known of clients beside who is connected: those that registered, and the consents that are not asked for again.
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { inert } from '../pages/inert.ts'
import type { Clock } from '../runtime/context.ts'
import { keyOf } from './store/conceal.ts'
import { dropArtifact, dropClient, dropFamily, listClients, listGrants, type ClientRow } from './store/queries.ts'
import { dropConsent, dropConsents, listConsents } from './store/remembered/queries.ts'
import { hostOfRedirect } from './redirects.ts'
import { splitScopes } from './scopes.ts'
import { digestOf } from './verified.ts'

export interface RememberedConsent {
  /** Stands for it in addresses and forms. */
  readonly key: string
  readonly clientId: string
  /** As the client calls itself, made inert; empty where it has a document instead. */
  readonly clientName: string
  /** Resource URLs it was given for. */
  readonly audiences: readonly string[]
  readonly scopes: readonly string[]
  readonly createdAt: number
}

export interface KnownClient {
  readonly key: string
  readonly clientId: string
  /** As it calls itself, made inert. */
  readonly name: string
  readonly origin: ClientRow['origin']
  /** Hosts of its redirects, or their private schemes; each once. */
  readonly redirectHosts: readonly string[]
  readonly createdAt: number
  /** When somebody was let in with it the last time. */
  readonly lastUsedAt: number | null
}

export interface KnownClients {
  consents(): RememberedConsent[]
  /** The client has to ask again; what it holds already stays. @throws DomainError CONSENT_MISSING */
  forgetConsent(key: string): Promise<RememberedConsent>
  /** @returns how many there were */
  forgetConsents(): Promise<number>
  list(): KnownClient[]
  /** Ends everything the client holds and its registration. @throws DomainError CLIENT_MISSING */
  forget(key: string): Promise<KnownClient>
}

/** @param onRevoked called when tokens may have ended, so that caches look again */
export function createKnownClients(db: Database, clock: Clock, onRevoked: () => void): KnownClients {
  const consents = (): RememberedConsent[] => listConsents(db).map(shownConsent)
  const list = (): KnownClient[] => listClients(db).map(shownClient)
  return {
    consents,
    list,
    async forgetConsent(key) {
      return await db.write((tx) => {
        const row = listConsents(tx).find((found) => keyOfConsent(found) === key)
        if (row === undefined) throw missing('CONSENT_MISSING', 'This consent is not remembered.')
        dropConsent(tx, row)
        return shownConsent(row)
      })
    },
    async forgetConsents() {
      return await db.write((tx) => {
        const { length } = listConsents(tx)
        dropConsents(tx)
        return length
      })
    },
    async forget(key) {
      const forgotten = await db.write((tx) => {
        const row = listClients(tx).find(({ id }) => keyOfClient(id) === key)
        if (row === undefined) throw missing('CLIENT_MISSING', 'No such client is registered.')
        for (const { grantId } of listGrants(tx, row.id)) {
          dropFamily(tx, grantId, clock.now())
          dropArtifact(tx, keyOf('Grant', grantId))
        }
        dropConsents(tx, row.id)
        dropClient(tx, row.id)
        return shownClient(row)
      })
      onRevoked()
      return forgotten
    },
  }
}

type ConsentRow = ReturnType<typeof listConsents>[number]

const KEY_CHARS = 32
const keyOfClient = (id: string): string => digestOf(id).slice(0, KEY_CHARS)
const keyOfConsent = ({ clientId, redirect, audience, asked }: ConsentRow): string =>
  digestOf(JSON.stringify([clientId, redirect, audience, asked])).slice(0, KEY_CHARS)

function shownConsent(row: ConsentRow): RememberedConsent {
  const { clientId, clientName, audience, granted, createdAt } = row
  const key = keyOfConsent(row)
  return {
    key,
    clientId,
    clientName: inert(clientName ?? ''),
    audiences: splitScopes(audience),
    scopes: splitScopes(granted),
    createdAt,
  }
}

function shownClient({ id, name, origin, payload, createdAt, lastUsedAt }: Omit<ClientRow, 'secretHash'>): KnownClient {
  const uris = [payload['redirect_uris']].flat().filter((uri) => typeof uri === 'string')
  const redirectHosts = [...new Set(uris.map(hostOfRedirect))]
  return { key: keyOfClient(id), clientId: id, name: inert(name), origin, redirectHosts, createdAt, lastUsedAt }
}

const missing = (code: 'CONSENT_MISSING' | 'CLIENT_MISSING', message: string): DomainError =>
  new DomainError('missing', code, message)
