// W3C Trace Context as MCP clients put it into `_meta` (traceparent, tracestate, baggage). Malformed means absent.
import type { TraceContext } from './context.ts'

const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
/** W3C Trace Context §3.3.1.5 and W3C Baggage §3.3.2. */
const TRACESTATE_CHARS_MAX = 512
const BAGGAGE_CHARS_MAX = 8192

export function readTraceContext(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  const traceparent = meta?.['traceparent']
  if (meta === undefined || typeof traceparent !== 'string') return undefined
  const match = traceparentPattern.exec(traceparent)
  const [, traceId, parentId, flags] = match ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined
  const tracestate = bounded(meta['tracestate'], TRACESTATE_CHARS_MAX)
  const baggage = bounded(meta['baggage'], BAGGAGE_CHARS_MAX)
  return {
    traceId,
    parentId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  }
}

function bounded(value: unknown, charsMax: number): string | undefined {
  return typeof value === 'string' && value.length <= charsMax && /^[\x20-\x7e]*$/.test(value) ? value : undefined
}
