// Tool parameters that are repeated in `Mcp-Param-*` headers (MCP 2026-07-28, `x-mcp-header`), so that a proxy can route on them.
import { isRecord } from './json.ts'

/** One `x-mcp-header` of a tool's input schema. */
export interface MirroredParameter {
  readonly path: readonly string[]
  /** Lower case, as Node keeps header names. */
  readonly header: string
  readonly numeric: boolean
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What stands in a header as it is: visible ASCII with blanks inside. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Around the base64 of the UTF-8 of a value that cannot stand in a header as it is. */
export const SENTINEL = Object.freeze({ open: '=?base64?', close: '?=' })

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

/** The value of a parameter as a header says it, not encoded; undefined where it is not mirrored at all. */
export function mirroredText(args: unknown, { path }: MirroredParameter): string | undefined {
  const value = valueAt(args, path)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

export function valueAt(root: unknown, path: readonly string[]): unknown {
  let node = root
  for (const key of path) {
    if (!isRecord(node)) return undefined
    node = node[key]
  }
  return node
}

/** The headers of one call. */
export function mirroredHeaders(parameters: readonly MirroredParameter[], args: unknown): Record<string, string> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const text = mirroredText(args, parameter)
      return text === undefined ? [] : [[parameter.header, encoded(text)]]
    }),
  )
}

function encoded(text: string): string {
  if (PLAIN.test(text) && !text.startsWith(SENTINEL.open)) return text
  return `${SENTINEL.open}${Buffer.from(text, 'utf8').toString('base64')}${SENTINEL.close}`
}
