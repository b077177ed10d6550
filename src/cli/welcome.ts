// What `crow serve` tells the person who started it: where everything is, and how to connect the first client.
import { clientFile, type Machine } from '../clients/locate.ts'
import type { Connection } from '../clients/entry.ts'
import { connectSnippet } from '../clients/snippet.ts'
import { aiClients } from '../clients/table.ts'
import { VERSION } from '../lib/version.ts'
import { type Mounted, mountPaths } from './connection.ts'
import { shellLine } from './launch.ts'
import type { Terminal } from './terminal.ts'

/** Shown at the first start; `crow mcp-config` knows the others. */
const SHOWN = ['claude-code', 'claude-desktop', 'cursor', 'vscode']

export interface WelcomeFacts {
  readonly address: string
  readonly publicOrigin: string | undefined
  /** Path below which everything is served. */
  readonly basePath: string
  readonly dataDir: string
  readonly servers: readonly Mounted[]
  /** The token that the first start made, undefined at a later one. */
  readonly firstToken: { readonly name: string; readonly secret: string } | undefined
  readonly connection: Connection
  readonly machine: Machine
  /** Absolute `crow`. */
  readonly crow: readonly string[]
}

/** Lines for stdout. The secret is among them only when stdout is a terminal. */
export function welcome(terminal: Terminal, facts: WelcomeFacts): string[] {
  const { address, publicOrigin, basePath, dataDir, servers, firstToken, crow } = facts
  const urls = servers.flatMap((server) =>
    mountPaths(server, basePath).map((path) => `  ${server.id.padEnd(12)} ${[address, publicOrigin].filter(Boolean).map((origin) => `${origin}${path}`).join('  ')}`),
  )
  const lines = [`${terminal.style('bold', `Crow ${VERSION}`)}, data in ${dataDir}`, '', ...urls, '']
  if (firstToken === undefined) {
    return [...lines, `Connect a client: ${shellLine([...crow, 'mcp-config'])}`, '']
  }
  const isShown = terminal.outIsTerminal
  const token = isShown
    ? `Local token, shown this once: ${terminal.style('bold', firstToken.secret)}`
    : `A local token was made; this is not a terminal, so its secret is not shown. Show a fresh one: ${shellLine([...crow, 'token', 'rotate', firstToken.name])}`
  const connection = { ...facts.connection, token: isShown ? firstToken.secret : undefined }
  return [
    ...lines,
    token,
    '',
    ...aiClients.filter(({ id }) => SHOWN.includes(id)).flatMap((client) => snippetLines(terminal, client, { ...facts, connection })),
    `Other clients, or to have the file written for you: ${shellLine([...crow, 'mcp-config'])}`,
    '',
  ]
}

function snippetLines(terminal: Terminal, client: (typeof aiClients)[number], { connection, machine }: WelcomeFacts): string[] {
  const snippet = connectSnippet(client, connection)
  const file = snippet.startsWith('{') ? clientFile(client, machine) : undefined
  const title = terminal.style('cyan', client.title)
  return [file === undefined ? `${title}, in a shell:` : `${title}, in ${file}:`, ...snippet.split('\n').map((line) => `  ${line}`), '']
}
