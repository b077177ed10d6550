// Writes down one connection in the words of one client.
import { GatewayError } from '../errors.ts'
import type { AiClient, Transport } from './table.ts'

/** What a client needs to reach this gateway. */
export interface Connection {
  /** Name of the entry in the client's file. */
  readonly name: string
  /** Address of the mount, for HTTP. */
  readonly url: string
  /** The bearer token, or undefined to leave a placeholder. */
  readonly token: string | undefined
  /** Absolute command line of `crow stdio …`, for clients that start a process. */
  readonly command: readonly [program: string, ...args: string[]]
  /** Headers beside the token, for HTTP; printable ASCII that a shell leaves alone between double quotes. */
  readonly headers?: Readonly<Record<string, string>>
  /** Variables of the process, for those that start one. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Entry {
  /** The value under the connection's name. */
  readonly server: Readonly<Record<string, unknown>>
  /** Prompts that the client shows to its user (VS Code's `inputs`). */
  readonly inputs: readonly Readonly<Record<string, unknown>>[]
}

export const TOKEN_PLACEHOLDER = 'YOUR_TOKEN'
export const TOKEN_VARIABLE = 'CROW_TOKEN'

/** The entry for `connection`. Throws CLIENT_TRANSPORT when the client cannot speak `transport`. */
export function entryFor(client: AiClient, connection: Connection, transport: Transport): Entry {
  if (transport === 'stdio') return { server: stdioEntry(client, connection), inputs: [] }
  const { http } = client
  if (http === undefined) {
    throw new GatewayError(
      'invalid',
      'CLIENT_TRANSPORT',
      `${client.title} starts a process and cannot be given a URL; use --transport stdio`,
    )
  }
  const promptId = `${connection.name}-token`
  const secret = {
    file: connection.token ?? TOKEN_PLACEHOLDER,
    prompt: `\${input:${promptId}}`,
    environment: `\${${TOKEN_VARIABLE}}`,
  }[http.secret]
  const prompt = {
    type: 'promptString',
    id: promptId,
    description: `Local token of ${connection.name}`,
    password: true,
  }
  return {
    server: {
      ...(http.type === undefined ? {} : { type: http.type }),
      [http.urlKey]: connection.url,
      headers: { Authorization: `Bearer ${secret}`, ...connection.headers },
    },
    inputs: http.secret === 'prompt' ? [prompt] : [],
  }
}

function stdioEntry(client: AiClient, { command: [program, ...args], env = {} }: Connection): Record<string, unknown> {
  return {
    ...(client.stdio.type === undefined ? {} : { type: client.stdio.type }),
    command: program,
    args,
    ...(Object.keys(env).length === 0 ? {} : { env }),
  }
}

/** The client's one-line command, or undefined when it has none. */
export function commandFor(client: AiClient, connection: Connection): string | undefined {
  const headers = Object.entries(connection.headers ?? {}).map(([name, value]) => ` --header "${name}: ${value}"`)
  const command = client.command
    ?.replace('{name}', connection.name)
    .replace('{url}', connection.url)
    .replace('{token}', connection.token ?? TOKEN_PLACEHOLDER)
  return command === undefined ? undefined : command + headers.join('')
}
