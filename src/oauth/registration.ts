// What a client may say of itself when it registers (RFC 7591): bounds, and what is taken from it. Pure.
import { isRecord } from '../lib/json.ts'
import { isNative, kindOfRedirect } from './redirects.ts'

/** More than any client has, and little enough to keep for a stranger. */
const REDIRECTS_MAX = 16
const REDIRECT_CHARS_MAX = 1024
const NAME_CHARS_MAX = 120
export const REGISTRATION_BYTES_MAX = 16 << 10

const GRANT_TYPES = new Set(['authorization_code', 'refresh_token'])
const RESPONSE_TYPES = new Set(['code'])
/** What is kept of it. The scope is not: a client may ask for more later, and the person decides each time. */
const KEPT = [
  'client_name',
  'redirect_uris',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'application_type',
] as const

/** What is taken of a client's metadata, and nothing else of it. */
export function keptMetadata(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const key of KEPT) if (sent[key] !== undefined) metadata[key] = sent[key]
  return metadata
}

export interface Refusal {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly error_description: string
}

/** @returns what is registered, or why it is not */
export function readRegistration(sent: unknown): { readonly metadata: Record<string, unknown> } | Refusal {
  if (!isRecord(sent)) return refusal('invalid_client_metadata', 'a registration is a JSON object')
  const problem = redirectProblem(sent['redirect_uris'])
  if (problem !== undefined) return refusal('invalid_redirect_uri', problem)
  const name = sent['client_name']
  if (typeof name === 'string' && name.length > NAME_CHARS_MAX)
    return refusal('invalid_client_metadata', `client_name must be at most ${NAME_CHARS_MAX} characters`)
  const metadata = keptMetadata(sent)
  // A public client by default: every client proves itself by PKCE, and a secret nobody asked for is one more to lose.
  metadata['token_endpoint_auth_method'] ??= 'none'
  metadata['grant_types'] = supported(metadata['grant_types'], GRANT_TYPES)
  metadata['response_types'] = supported(metadata['response_types'], RESPONSE_TYPES)
  return { metadata }
}

/**
 * The same judgement for what is read later, from a metadata document or the database. Changes `metadata` in place, which
 * is how the provider's hook works.
 * @returns why it is refused
 */
export function settleMetadata(metadata: Record<string, unknown>): string | undefined {
  const uris = metadata['redirect_uris']
  const problem = redirectProblem(uris)
  if (problem !== undefined) return problem
  if (isDocument(metadata['client_id'])) {
    const name = metadata['client_name']
    if (typeof name !== 'string' || name.trim() === '') return 'client_name is required in the document of a client'
    if (name.length > NAME_CHARS_MAX) return `client_name must be at most ${NAME_CHARS_MAX} characters`
  }
  if (Array.isArray(uris) && isNative(uris)) metadata['application_type'] = 'native'
  // As in a registration: not what limits the client.
  delete metadata['scope']
  return undefined
}

/** The id of a client with a document of its own is the address of that. */
const isDocument = (clientId: unknown): boolean => typeof clientId === 'string' && /^https:\/\//i.test(clientId)

function redirectProblem(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris must contain members'
  if (uris.length > REDIRECTS_MAX) return `redirect_uris must be at most ${REDIRECTS_MAX}`
  for (const uri of uris) {
    if (typeof uri !== 'string') return 'redirect_uris must only contain strings'
    if (uri.length > REDIRECT_CHARS_MAX) return `redirect_uris must be at most ${REDIRECT_CHARS_MAX} characters each`
    const found = kindOfRedirect(uri)
    if ('reason' in found) return `redirect_uris ${found.reason}`
  }
  return undefined
}

/** What of a list is known here; the whole list where nothing is, so that it is refused and not guessed. */
function supported(asked: unknown, known: ReadonlySet<string>): unknown {
  if (asked === undefined) return [...known]
  if (!Array.isArray(asked)) return asked
  const kept = asked.filter((value: unknown) => typeof value === 'string' && known.has(value))
  return kept.length === 0 ? asked : kept
}

const refusal = (error: Refusal['error'], error_description: string): Refusal => ({ error, error_description })
