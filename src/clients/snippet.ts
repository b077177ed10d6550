// The text a person copies to connect one client.
import { commandFor, type Connection, entryFor } from './entry.ts'
import { mergeEntry } from './merge.ts'
import type { AiClient, Transport } from './table.ts'

/** A whole configuration file that holds this connection only, without a final line break. */
export function configSnippet(client: AiClient, connection: Connection, transport: Transport): string {
  return mergeEntry(undefined, client, connection.name, entryFor(client, connection, transport)).trimEnd()
}

/** The client's own command where it has one and speaks HTTP, otherwise the file. */
export function connectSnippet(
  client: AiClient,
  connection: Connection,
  transport: Transport = client.prefers,
): string {
  const command = transport === 'http' ? commandFor(client, connection) : undefined
  return command ?? configSnippet(client, connection, transport)
}

/** The same for several servers at once: a command for each, or one file that holds them all. */
export function connectAllSnippet(
  client: AiClient,
  connections: readonly Connection[],
  transport: Transport = 'http',
): string {
  const commands = connections.map((connection) => (transport === 'http' ? commandFor(client, connection) : undefined))
  if (commands.every((command) => command !== undefined)) return commands.join('\n')
  const merged = connections.reduce<string | undefined>(
    (text, connection) => mergeEntry(text, client, connection.name, entryFor(client, connection, transport)),
    undefined,
  )
  return (merged ?? '').trimEnd()
}
