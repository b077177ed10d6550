// What a request is answered with, before anybody thinks of sockets: a whole body, or a stream of events.
import { isRecord } from '../lib/json.ts'
import { CODE } from './protocol.ts'

/** A complete answer. `body` is JSON text, or null for none. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** An answer of server-sent events; it ends when the source ends. */
export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly events: ReadableStream<Uint8Array>
  /** Whether it lasts for as long as its client listens: nothing to wait for when the process ends. */
  readonly listens?: true
  /** Called once, when nothing more goes out: the source ended or the client left. */
  readonly ended?: () => void
}

export type RequestId = string | number

const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json' })

/** The id of a JSON-RPC request when it can be read, else null (JSON-RPC 2.0 §5). */
export function readableId(body: unknown): RequestId | null {
  if (!isRecord(body) || typeof body['method'] !== 'string') return null
  const id = body['id']
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** An error answer in JSON-RPC. `headers` are added to the content type. */
export function refuse(
  status: number,
  code: number,
  message: string,
  more: { id?: RequestId | null; data?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Answer {
  const error = more.data === undefined ? { code, message } : { code, message, data: more.data }
  return {
    status,
    headers: more.headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...more.headers },
    body: JSON.stringify({ jsonrpc: '2.0', error, id: more.id ?? null }),
  }
}

/** The answer for a body that is not JSON, or not there. */
export const unparsable = (message = 'Parse error: the request body is not valid JSON'): Answer =>
  refuse(400, CODE.parse, message)

/** The refusal of a method that a mount does not have (RFC 9110 §15.5.6). */
export const notAllowed = (allow: string): Answer =>
  refuse(405, CODE.refused, 'Method not allowed.', { headers: { allow } })
