// What the SDK throws for an outbound request, in the words of a link.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client'
import { LinkFailure, LinkTimeout, RpcError, type LinkEnd } from '../../lib/link.ts'

const TEXT_CHARS_MAX = 200

/** A stranger's words in a sentence of ours: short, and nothing in them can move a cursor. */
export const inert = (text: string): string =>
  text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, TEXT_CHARS_MAX)
    .toWellFormed()

/** Whether a status says that the session is not known (any more). Many servers say 400 where the specification says 404. */
export function isLostSession(error: unknown): boolean {
  const status = statusOf(error)
  return status === 404 || (status === 400 && /session/i.test(String(error)))
}

/** Nobody took the connection, so nobody has read what was to go over it. */
const REFUSED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export const wasRefused = (error: unknown): boolean => REFUSED.has(codeIn(error) ?? '')

/** The network broke, as opposed to a server that answered something. */
export const isBroken = (error: unknown): boolean =>
  statusOf(error) === undefined &&
  (codeIn(error) !== undefined || error instanceof TypeError || error instanceof SseError)

/** @param timeoutMs of the request */
export function failureOf(error: unknown, method: string, timeoutMs: number): Error {
  if (error instanceof LinkFailure) return error
  if (error instanceof ProtocolError)
    return new RpcError({
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    })
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return new LinkTimeout(method, timeoutMs)
  return new LinkFailure({ ...endOf(error), wanted: false })
}

/** The reason in one sentence, with whether it may be tried again. */
export function endOf(error: unknown): LinkEnd {
  const code = codeIn(error)
  const status = statusOf(error)
  const unheard = wasRefused(error) ? { unheard: true } : {}
  if (status !== undefined) return { reason: sentenceOf(status), wanted: false }
  if (code !== undefined) return { reason: `The server cannot be reached (${code}).`, wanted: false, ...unheard }
  return { reason: `The connection failed: ${inert(rootMessage(error)) || 'no reason given'}.`, wanted: false }
}

function sentenceOf(status: number): string {
  if (status === 401) return 'The server wants other credentials (HTTP 401).'
  if (status === 403) return 'The server refuses these credentials (HTTP 403).'
  if (status >= 300 && status < 400) return `The server sends elsewhere (HTTP ${status}), which is not followed.`
  return `The server answered HTTP ${status}.`
}

export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.data.status
  if (error instanceof SseError) return error.code
  const said = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message)?.[1] : undefined
  return said === undefined ? undefined : Number(said)
}

/** What the innermost error says: those around it say only that something failed. */
function rootMessage(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined || depth > 4 ? error.message : rootMessage(error.cause, depth + 1)
}

/** Of Node's system errors and of its HTTP client; codes of the SDK look alike. */
const SYSTEM_CODE = /^(E[A-Z0-9]+|EAI_[A-Z]+|UND_[A-Z_]+)$/

/** The code of the system's error, however deep it lies. */
function codeIn(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  if ('code' in error && typeof error.code === 'string' && SYSTEM_CODE.test(error.code)) return error.code
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return codeIn(inner, depth + 1)
}
