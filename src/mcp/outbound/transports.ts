// The SDK's transports as a link uses them: with headers of the operator's, and with somebody who is told of what goes over them.
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { Target } from '../../lib/link.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { watchedFetch, type StreamEnded } from './watched-fetch.ts'

export type Remote = Extract<Target, { kind: 'http' | 'sse' }>

/** A stream for messages is looked for again as long as the link lives. */
const RECONNECTIONS_MAX = 1_000_000
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: RECONNECTIONS_MAX,
}

export interface Watch {
  /** A request is handed to the transport. */
  readonly sent: (id: number | string) => void
  readonly ended: StreamEnded
}

export function transportOf(
  target: Remote,
  { sent, ended }: Watch,
): StreamableHTTPClientTransport | SSEClientTransport {
  const url = new URL(target.url)
  const requestInit = { headers: { ...target.headers } }
  const tell = (message: JSONRPCMessage | JSONRPCMessage[]): void => {
    if (!Array.isArray(message) && 'id' in message && 'method' in message) sent(message.id)
  }
  if (target.kind === 'sse') {
    const transport = new SSEClientTransport(url, { requestInit, fetch: guardedFetch() })
    const send = transport.send.bind(transport)
    transport.send = (message) => (tell(message), send(message))
    return transport
  }
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit,
    fetch: watchedFetch(ended, guardedFetch()),
    reconnectionOptions: RECONNECTION,
  })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => (tell(message), send(message, options))
  return transport
}
