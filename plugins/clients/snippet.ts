// What a new token is used with: the addresses it opens, and the words of the client it was made for.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Connection } from '../../src/clients/entry.ts'
import { connectAllSnippet } from '../../src/clients/snippet.ts'
import type { AiClient } from '../../src/clients/table.ts'
import { opens } from '../../src/oauth/scopes.ts'
import type { SecretPage, ShownSnippet } from '../../src/pages/clients-secret.ts'
import type { MadeToken } from './make-token.ts'
import { httpClients } from './view.ts'

/** @param clientId id of the client it was made for; empty for another one */
export function secretPageOf(request: FastifyRequest, made: MadeToken, clientId: string): SecretPage {
  const { config, scopes } = request.server
  const connections = connectionsOf(request, made)
  const client = httpClients.find(({ id }) => id === clientId)
  return {
    base: config.basePath,
    name: made.name,
    secret: made.secret,
    addresses: connections.map(({ server, url }) => ({ serverName: scopes.nameOf(server), url })),
    client: client === undefined || connections.length === 0 ? undefined : snippetOf(client, connections),
  }
}

/** The servers it opens, each at its own mount; the one at the root is simply called crow. */
function connectionsOf({ server: app, raw }: FastifyRequest, made: MadeToken): (Connection & { server: string })[] {
  const granted = made.scopes === null ? 'all' : new Set(made.scopes)
  return app.catalog.servers
    .filter(({ id }) => opens(granted, id))
    .map(({ id, aliases }) => ({
      server: id,
      name: aliases.includes('/') ? 'crow' : `crow-${id}`,
      url: app.urls.urlFor(pathOf(app, id), raw.headers.host),
      token: made.secret,
      command: ['crow', 'stdio', id],
    }))
}

const pathOf = ({ urls }: FastifyInstance, id: string): string =>
  urls.resources.find(({ path, server }) => server === id && path.endsWith('/mcp'))?.path ?? `/${id}/mcp`

function snippetOf(client: AiClient, connections: readonly Connection[]): ShownSnippet {
  const { file } = client
  const path = file.everywhere ?? file.linux ?? file.darwin ?? file.win32 ?? ''
  return {
    title: client.title,
    text: connectAllSnippet(client, connections),
    isCommand: client.command !== undefined,
    // The folder of settings differs from system to system; the name of the file does not.
    file: path.replace(/^\$CONFIG\/.*\//, ''),
    afterwards: client.afterwards,
  }
}
