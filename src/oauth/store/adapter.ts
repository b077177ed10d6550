// The authorization server's storage: its models as rows of our tables, bearers only as hashes.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database, Tx } from '../../db/client.ts'
import type { Clock } from '../../runtime/context.ts'
import { digestOf } from '../verified.ts'
import { conceal, keyOf, reveal, type Payload } from './conceal.ts'
import {
  consumeArtifact,
  dropArtifact,
  dropClient,
  dropFamily,
  dropIdleClients,
  findArtifact,
  findArtifactByUid,
  findClient,
  isFreshlySpent,
  putArtifact,
  putClient,
  restoreArtifact,
  type ArtifactRow,
} from './queries.ts'

export interface StorePorts {
  readonly db: Database
  readonly clock: Clock
  /** Something that opened a door is gone. */
  readonly onRevoked: () => void
  /** The error of whoever uses up a code or token that was used up already. */
  readonly usedUp: () => Error
  /** The error for a database that does not answer; never one that says a client is unknown. */
  readonly unavailable: (cause: unknown) => Error
}

/** Clients that registered themselves and were never let in; a flood of registrations pushes out its own. */
const IDLE_CLIENTS_MAX = 1000

/** Every model that is stored. What is kept of one, and for how long, hangs on its name. */
const MODELS = new Set([
  'AccessToken',
  'AuthorizationCode',
  'Client',
  'ClientCredentials',
  'Grant',
  'InitialAccessToken',
  'Interaction',
  'PushedAuthorizationRequest',
  'RefreshToken',
  'RegistrationAccessToken',
  'ReplayDetection',
  'Session',
])

/**
 * @returns what the authorization server calls for each of its models
 * @throws Error for one it should not have: nobody could say whether its ids open doors
 */
export function createAdapter(ports: StorePorts): (model: string) => Adapter {
  return (model) => {
    if (!MODELS.has(model)) throw new Error(`the authorization server stores an unknown model ${JSON.stringify(model)}`)
    return model === 'Client' ? clientAdapter(ports) : artifactAdapter(model, ports)
  }
}

/**
 * Gives back a code or token that was used up for nothing.
 * @param successor the refresh token that was stored for it already, and given to nobody
 */
export function giveBack(db: Database, model: string, id: string, successor?: string): Promise<void> {
  return db.write((tx) => {
    restoreArtifact(tx, keyOf(model, id))
    if (successor !== undefined) dropArtifact(tx, keyOf('RefreshToken', successor))
  })
}

/** Whether a refresh token was used within the last moments, by whoever has not gone on with the new one yet. */
export function isInFlight(db: Database, token: string, now: number, windowMs: number): boolean {
  return isFreshlySpent(db, keyOf('RefreshToken', token), now - windowMs)
}

/** Whether a refresh token is there to be used. */
export function isUnspent(db: Database, token: string): boolean {
  return findArtifact(db, keyOf('RefreshToken', token))?.consumedAt === null
}

function artifactAdapter(model: string, ports: StorePorts): Adapter {
  const { db, clock, onRevoked, usedUp } = ports
  const { read, write } = guarded(ports)
  return {
    upsert: (id, payload, expiresIn) => write((tx) => putArtifact(tx, rowOf(model, id, payload, expiresIn, clock))),
    find: (id) => read(() => payloadOf(findArtifact(db, keyOf(model, id)), id, clock.now())),
    findByUid: (uid) => read(() => payloadOf(findArtifactByUid(db, model, digestOf(uid)), undefined, clock.now())),
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      if (!(await write((tx) => consumeArtifact(tx, keyOf(model, id), clock.now())))) throw usedUp()
    },
    async destroy(id) {
      await write((tx) => dropArtifact(tx, keyOf(model, id)))
      if (model === 'AccessToken' || model === 'Grant') onRevoked()
    },
    async revokeByGrantId(grantId) {
      await write((tx) => dropFamily(tx, grantId, clock.now()))
      onRevoked()
    },
  }
}

function rowOf(model: string, id: string, payload: AdapterPayload, expiresIn: number | undefined, clock: Clock) {
  const now = clock.now()
  return {
    id: keyOf(model, id),
    model,
    payload: conceal(model, id, { ...payload }),
    grantId: payload.grantId ?? null,
    uidHash: payload.uid === undefined ? null : digestOf(payload.uid),
    clientId: payload.clientId ?? null,
    createdAt: now,
    expiresAt: expiresIn === undefined ? null : now + expiresIn * 1000,
  }
}

function payloadOf(row: ArtifactRow | undefined, id: string | undefined, now: number): AdapterPayload | undefined {
  if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now)) return undefined
  const payload = id === undefined ? { ...row.payload } : reveal(row.model, id, row.payload)
  if (row.consumedAt !== null) payload['consumed'] = Math.floor(row.consumedAt / 1000)
  return parsed(payload)
}

function clientAdapter(ports: StorePorts): Adapter {
  const { db, clock } = ports
  const { read, write } = guarded(ports)
  return {
    upsert: (id, payload) => write((tx) => storeClient(tx, id, payload, clock.now())),
    find: (id) =>
      read(() => {
        const row = findClient(db, id)
        if (row === undefined) return undefined
        // Where the secret would be stands its hash: `matchesSecret` compares.
        const secret = row.secretHash === null ? {} : { client_secret: row.secretHash.toString('hex') }
        return parsed({ ...row.payload, ...secret })
      }),
    destroy: (id) => write((tx) => dropClient(tx, id)),
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    consume: () => Promise.resolve(),
    revokeByGrantId: () => Promise.resolve(),
  }
}

function storeClient(tx: Tx, id: string, payload: AdapterPayload, createdAt: number): void {
  const { client_secret: secret, ...metadata } = payload
  putClient(tx, {
    id,
    name: typeof metadata.client_name === 'string' ? metadata.client_name : '',
    origin: 'registered',
    payload: { ...metadata },
    secretHash: typeof secret === 'string' ? Buffer.from(digestOf(secret), 'hex') : null,
    createdAt,
  })
  dropIdleClients(tx, IDLE_CLIENTS_MAX)
}

/** Rows hold what the authorization server gave us: this is the boundary where it becomes its payload again. */
const parsed = (payload: Payload): AdapterPayload => payload

/** What the database refuses is a failure of ours, whatever was asked for. */
function guarded({ db, unavailable }: StorePorts): Pick<Database, 'read' | 'write'> {
  const fail = (error: unknown): never => {
    throw unavailable(error)
  }
  return { read: (work) => db.read(work).catch(fail), write: (work) => db.write(work).catch(fail) }
}
