// Clients that the owner makes by hand, for programs that cannot register themselves.
import { randomBytes } from 'node:crypto'
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import type { Clock } from '../runtime/context.ts'
import { readRegistration } from './registration.ts'
import { findClient, putClient } from './store/queries.ts'
import { digestOf } from './verified.ts'

export interface ClientRequest {
  /** Made up unless given; printable ASCII. */
  readonly id?: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Absent for a public client; true for a fresh secret; else the secret itself, printable ASCII. */
  readonly secret?: string | true
}

export interface MadeClient {
  readonly id: string
  /** In clear, this once. */
  readonly secret: string | undefined
}

const PRINTABLE = /^[\x20-\x7e]{1,200}$/
/** Short of a guess in a lifetime; a made one has 256 bits. */
const SECRET_CHARS_MIN = 10

/** @throws DomainError CLIENT_INVALID, CLIENT_TAKEN */
export async function makeClient(db: Database, clock: Clock, request: ClientRequest): Promise<MadeClient> {
  const id = request.id ?? `crow-${randomBytes(12).toString('base64url')}`
  const secret = request.secret === true ? freshSecret() : request.secret
  if (!PRINTABLE.test(id)) throw invalid('The id of a client must be 1 to 200 printable ASCII characters.')
  if (secret !== undefined && !PRINTABLE.test(secret))
    throw invalid('A client secret must be printable ASCII: other characters do not survive HTTP Basic authentication.')
  if (secret !== undefined && secret.length < SECRET_CHARS_MIN)
    throw invalid(`A client secret must have at least ${SECRET_CHARS_MIN} characters.`)
  const read = readRegistration({
    client_name: request.name,
    redirect_uris: [...request.redirectUris],
    token_endpoint_auth_method: secret === undefined ? 'none' : 'client_secret_basic',
  })
  if ('error' in read) throw invalid(`A client cannot be made: ${read.error_description}.`)
  await db.write((tx) => {
    if (findClient(tx, id) !== undefined)
      throw new DomainError('conflict', 'CLIENT_TAKEN', `There is already a client ${JSON.stringify(id)}.`)
    putClient(tx, {
      id,
      name: request.name,
      origin: 'made',
      payload: { ...read.metadata, client_id: id },
      secretHash: secret === undefined ? null : Buffer.from(digestOf(secret), 'hex'),
      createdAt: clock.now(),
    })
  })
  return { id, secret }
}

/** Unreserved characters only, so that it is the same raw and form-encoded. */
export const freshSecret = (): string => `crow_client_${randomBytes(32).toString('base64url')}`

const invalid = (message: string): DomainError => new DomainError('invalid', 'CLIENT_INVALID', message)
