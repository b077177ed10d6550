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
  /** Public address without a trailing slash. */
  readonly publicAddress: string | undefined
  readonly dataDir: string
  readonly servers: readonly Mounted[]
  /** The token that the first start made, undefined at a later one. */
  readonly firstToken: { readonly name: string; readonly secret: string } | undefined
  readonly connection: Connection
  readonly machine: Machine
  /** Absolute command lines that the person may run next. */
  readonly hints: {
    readonly connect: readonly string[]
    readonly showToken: readonly string[]
    /** Undefined once the owner has a password. */
    readonly setUp: readonly string[] | undefined
  }
}

/** Lines for stdout. The secret is among them only when stdout is a terminal. */
export function welcome(terminal: Terminal, facts: WelcomeFacts): string[] {
  const { address, publicAddress, dataDir, servers, firstToken, hints } = facts
  const urls = servers.flatMap((server) =>
    mountPaths(server).map(
      (path) =>
        `  ${server.id.padEnd(12)} ${[address, publicAddress]
          .filter(Boolean)
          .map((base) => `${base}${path}`)
          .join('  ')}`,
    ),
  )
  const lines = [`${terminal.style('bold', `Crow ${VERSION}`)}, data in ${dataDir}`, '', ...urls, '']
  if (hints.setUp !== undefined)
    lines.push(
      `Set the password with which you let clients in, at ${publicAddress ?? address}/setup: ${shellLine(hints.setUp)}`,
      '',
    )
  if (firstToken === undefined) {
    return [...lines, `Connect a client: ${shellLine(hints.connect)}`, '']
  }
  const isShown = terminal.outIsTerminal
  const token = isShown
    ? `Local token, shown this once: ${terminal.style('bold', firstToken.secret)}`
    : `A local token was made; this is not a terminal, so its secret is not shown. Show a fresh one: ${shellLine(hints.showToken)}`
  const connection = { ...facts.connection, token: isShown ? firstToken.secret : undefined }
  return [
    ...lines,
    token,
    '',
    ...aiClients
      .filter(({ id }) => SHOWN.includes(id))
      .flatMap((client) => snippetLines(terminal, client, { ...facts, connection })),
    `Other clients, or to have the file written for you: ${shellLine(hints.connect)}`,
    '',
  ]
}

function snippetLines(
  terminal: Terminal,
  client: (typeof aiClients)[number],
  { connection, machine }: WelcomeFacts,
): string[] {
  const snippet = connectSnippet(client, connection)
  const file = snippet.startsWith('{') ? clientFile(client, machine) : undefined
  const title = terminal.style('cyan', client.title)
  return [
    file === undefined ? `${title}, in a shell:` : `${title}, in ${file}:`,
    ...snippet.split('\n').map((line) => `  ${line}`),
    '',
  ]
}
