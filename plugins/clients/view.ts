// The page of connected clients as facts: each list a part at a time, and the form for a new token.
import type { FastifyInstance } from 'fastify'
import { aiClients } from '../../src/clients/table.ts'
import { portionOf, type Place } from '../../src/lib/paging.ts'
import { isReading } from '../../src/oauth/scopes.ts'
import type { ClientsPage } from '../../src/pages/clients.ts'
import type { Shown } from '../../src/pages/clients-parts.ts'
import type { TokenForm } from '../../src/pages/clients-tokens.ts'
import { hostOfClient, isKept, placeOfKey, placeOfNumber, sentences, serverNameOf, serversOf } from './shown.ts'

const ROWS = 25

/** Cursors of the lists, by their names in the query. */
export interface Cursors {
  readonly connected?: string | undefined
  readonly remembered?: string | undefined
  readonly registered?: string | undefined
  readonly tokens?: string | undefined
}

/** What was typed into the form of a new token. */
export interface TypedToken {
  readonly name: string
  readonly scope: readonly string[]
  readonly everything: boolean
  readonly days: number
  readonly client: string
}

const DAYS = 90

export function viewOf(app: FastifyInstance, cursors: Cursors): Omit<ClientsPage, 'form' | 'problem' | 'done'> {
  const { authorizations, clock, config, knownClients, tokens } = app
  const now = clock.now()
  return {
    base: config.basePath,
    connections: part(authorizations.list(), placeOfNumber, 'connected', cursors, (row) => ({
      ...row,
      clientHost: hostOfClient(row.clientId),
      serverName: capital(serverNameOf(app, row)),
      sentences: sentences(app, row.scopes),
    })),
    consents: part(knownClients.consents(), placeOfKey, 'remembered', cursors, (row) => ({
      ...row,
      clientHost: hostOfClient(row.clientId),
      serverNames: capital(
        serversOf(app, row)
          .map((server) => app.scopes.nameOf(server))
          .join(', '),
      ),
      sentences: sentences(app, row.scopes),
    })),
    clients: part(knownClients.list(), placeOfKey, 'registered', cursors, (row) => ({
      ...row,
      isMadeByOwner: row.origin === 'made',
    })),
    tokens: part(tokens.list().filter(isKept), placeOfNumber, 'tokens', cursors, (row) => ({
      ...row,
      isExpired: row.expiresAt !== null && row.expiresAt <= now,
      sentences: sentences(app, row.scopes),
    })),
  }
}

function part<Row, T>(
  rows: readonly Row[],
  placeOf: (row: Row) => Place,
  name: keyof Cursors,
  cursors: Cursors,
  show: (row: Row) => T,
): Shown<T> {
  const { rows: shown, total, next } = portionOf(rows, placeOf, { cursor: cursors[name], limit: ROWS })
  return { rows: shown.map(show), total, more: next === null ? undefined : `${name}=${next}` }
}

/** Reading is enough to begin with. */
export function formOf({ scopes }: FastifyInstance, typed?: TypedToken): Omit<TokenForm, 'wrong'> {
  return {
    name: typed?.name ?? '',
    scopes: scopes.local.map((scope) => ({
      scope,
      sentence: scopes.sentenceOf(scope),
      ticked: typed === undefined ? isReading(scope) : typed.scope.includes(scope),
    })),
    everything: typed?.everything ?? false,
    days: typed?.days ?? DAYS,
    client: typed?.client ?? '',
    clients: httpClients.map(({ id, title }) => ({ id, title })),
  }
}

/** Those that can be given a URL and a token. */
export const httpClients = aiClients.filter(({ http }) => http !== undefined)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
