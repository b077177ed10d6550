// Tool parameters that a 2026-07-28 client mirrors into `Mcp-Param-*` headers, so that a proxy can route on them. A
// mismatch between header and body is refused before anything runs. The SDK checks this only for its high-level server.
import type { IncomingHttpHeaders } from 'node:http'
import { mirroredText, SENTINEL, valueAt, type MirroredParameter } from '../lib/mirrored-parameters.ts'

/** What is wrong with the headers of one call, in the protocol's `data.mismatch` form. */
export interface HeaderMismatch {
  readonly message: string
  readonly mismatch: { readonly header: string; readonly body: string }
}

const DECIMAL = /^-?\d+(\.\d+)?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const QUOTED_CHARS_MAX = 128

/** A header value with its base64 sentinel undone; undefined when that is not canonical base64 of UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(SENTINEL.open) || !value.endsWith(SENTINEL.close)) return value
  const base64 = value.slice(SENTINEL.open.length, -SENTINEL.close.length)
  if (!BASE64.test(base64)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** A header value for any text: as it is where it is plain, otherwise in the base64 form. */
export function encodeHeaderValue(text: string): string {
  return /^[\w.:-]+(?: [\w.:-]+)*$/.test(text)
    ? text
    : SENTINEL.open + Buffer.from(text, 'utf8').toString('base64') + SENTINEL.close
}

/** A value in a sentence, as JSON; a long one is cut. */
export function quoted(value: unknown): string {
  if (typeof value !== 'string' || value.length <= QUOTED_CHARS_MAX) return JSON.stringify(value)
  return `${JSON.stringify(value.slice(0, QUOTED_CHARS_MAX).toWellFormed())} (cut)`
}

function mismatchOf(
  parameter: MirroredParameter,
  args: unknown,
  headers: IncomingHttpHeaders,
): HeaderMismatch | undefined {
  const text = mirroredText(args, parameter)
  if (text === undefined) return undefined
  const value = valueAt(args, parameter.path)
  const header = headers[parameter.header]
  const sent = Array.isArray(header) ? header[0] : header
  const say = (body: string): HeaderMismatch => ({
    message: `Bad Request: the request headers and body disagree: ${body}`,
    mismatch: { header: parameter.header, body },
  })
  const place = parameter.path.join('.')
  if (sent === undefined)
    return say(`the body carries ${place}=${quoted(value)} but the ${parameter.header} header is absent`)
  const decoded = decodeHeaderValue(sent)
  if (decoded === undefined) return say(`the ${parameter.header} header carries an invalid Base64 sentinel value`)
  const numeric = parameter.numeric && typeof value === 'number' && DECIMAL.test(decoded)
  if (numeric ? Number(decoded) === value : decoded === text) return undefined
  return say(
    `the ${parameter.header} header decodes to ${quoted(decoded)} but the body carries ${place}=${quoted(value)}`,
  )
}

/** The first mirrored parameter whose header does not agree with the arguments, else undefined. */
export function headerMismatch(
  parameters: readonly MirroredParameter[],
  args: unknown,
  headers: IncomingHttpHeaders,
): HeaderMismatch | undefined {
  for (const parameter of parameters) {
    const mismatch = mismatchOf(parameter, args, headers)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}
