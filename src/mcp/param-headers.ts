// Tool parameters that a 2026-07-28 client mirrors into `Mcp-Param-*` headers, so that a proxy can route on them. A
// mismatch between header and body is refused before anything runs. The SDK checks this only for its high-level server.
import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../lib/json.ts'

/** One `x-mcp-header` of a tool's input schema. */
export interface MirroredParameter {
  readonly path: readonly string[]
  /** Lower case, as Node keeps header names. */
  readonly header: string
  readonly numeric: boolean
}

/** What is wrong with the headers of one call, in the protocol's `data.mismatch` form. */
export interface HeaderMismatch {
  readonly message: string
  readonly mismatch: { readonly header: string; readonly body: string }
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const DECIMAL = /^-?\d+(\.\d+)?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const QUOTED_CHARS_MAX = 128
const SENTINEL = { open: '=?base64?', close: '?=' }

/** Every parameter that the schema asks to be mirrored, at any depth under `properties`. */
export function mirroredParameters(schema: unknown, path: readonly string[] = []): MirroredParameter[] {
  if (!isRecord(schema)) return []
  const found: MirroredParameter[] = []
  const name = schema['x-mcp-header']
  if (typeof name === 'string' && TOKEN.test(name) && path.length > 0)
    found.push({
      path,
      header: `mcp-param-${name.toLowerCase()}`,
      numeric: /^(integer|number)$/.test(String(schema['type'])),
    })
  const properties = schema['properties']
  if (isRecord(properties))
    for (const [key, child] of Object.entries(properties)) found.push(...mirroredParameters(child, [...path, key]))
  return found
}

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

function valueAt(root: unknown, path: readonly string[]): unknown {
  let node = root
  for (const key of path) {
    if (!isRecord(node)) return undefined
    node = node[key]
  }
  return node
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

function mismatchOf(
  parameter: MirroredParameter,
  args: unknown,
  headers: IncomingHttpHeaders,
): HeaderMismatch | undefined {
  const value = valueAt(args, parameter.path)
  const text = asText(value)
  if (text === undefined) return undefined
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
