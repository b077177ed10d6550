// Whole HTTP requests, head and body, as an MCP client of either era sends them.

const META = 'io.modelcontextprotocol'

export interface Target {
  readonly port: number
  readonly path: string
  readonly token: string | undefined
}

export interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A request of 2026-07-28: stateless, its envelope in `_meta`, mirrored in headers. */
export function modernRequest(target: Target, call: RpcCall, meta: Readonly<Record<string, unknown>> = {}): string {
  const params = {
    ...call.params,
    _meta: {
      [`${META}/protocolVersion`]: '2026-07-28',
      [`${META}/clientCapabilities`]: {},
      [`${META}/clientInfo`]: { name: 'bench', version: '1' },
      ...meta,
    },
  }
  const name = call.params?.['name']
  const headers = [
    'mcp-protocol-version: 2026-07-28',
    `mcp-method: ${call.method}`,
    ...(typeof name === 'string' ? [`mcp-name: ${name}`] : []),
  ]
  return post(target, headers, { jsonrpc: '2.0', ...call, params })
}

/** A request inside a live session of 2025-11-25. */
export function sessionRequest(target: Target, sessionId: string, call: RpcCall): string {
  const headers = ['mcp-protocol-version: 2025-11-25', `mcp-session-id: ${sessionId}`]
  return post(target, headers, { jsonrpc: '2.0', ...call })
}

/** The first request of a 2025 client. */
export function initializeRequest(target: Target): string {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  return post(target, [], { jsonrpc: '2.0', id: 0, method: 'initialize', params })
}

/** What a 2025 client says once it is initialised. */
export function initializedNotification(target: Target, sessionId: string): string {
  const headers = ['mcp-protocol-version: 2025-11-25', `mcp-session-id: ${sessionId}`]
  return post(target, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
}

function post(target: Target, headers: readonly string[], body: object): string {
  const text = JSON.stringify(body)
  return [
    `POST ${target.path} HTTP/1.1`,
    `host: 127.0.0.1:${target.port}`,
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    ...(target.token === undefined ? [] : [`authorization: Bearer ${target.token}`]),
    ...headers,
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
}
