// `crow token`: the local bearer tokens. A secret is shown once, by the command that made it, and never again.
import type { Config } from '../../config.ts'
import { nearest } from '../../lib/nearest.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { LocalToken, NewToken } from '../../oauth/local-tokens.ts'
import { localScopesOf } from '../../oauth/scopes.ts'
import { servers } from '../../servers/index.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { crowCommand } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { shellLine } from '../launch.ts'
import { UsageError } from '../options.ts'
import { configOf, type PlaceOptions, refuseMissing, withGateway } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export const tokenCreate = defineCommand({
  name: 'token create',
  usage: '[NAME] [--scope SCOPE]... [--days N] [--json]',
  summary: 'make a local token and show its secret once',
  positionals: [0, 1],
  options: {
    ...sharedOptions,
    name: { type: 'text', value: 'NAME', help: 'what it is for, such as the client or the machine' },
    scope: {
      type: 'list',
      value: 'SCOPE',
      help: 'memory for one server, memory:read to only read there, tools:ID for one integration; everything when absent',
    },
    days: { type: 'integer', value: 'N', min: 1, max: 36_500, help: 'days until it expires; it does not when absent' },
  },
  async run(terminal, { options, positionals }) {
    const { name, scope, days } = options
    if (name !== undefined && positionals[0] !== undefined)
      throw new UsageError(`the name is given twice, as ${JSON.stringify(positionals[0])} and with --name`)
    // Which integrations there are, only the gateway knows; anything else is refused before it makes a data folder.
    for (const one of scope ?? []) if (!/^tools(:|$)/.test(one)) refuseUnknownScope(one, localScopesOf(servers))
    const made = await withGateway(configOf(terminal, options), async ({ catalog, tokens, clock }) => {
      for (const one of scope ?? []) refuseUnknownScope(one, localScopesOf(catalog.servers))
      return await tokens.create({
        name: name ?? positionals[0] ?? freeName(tokens.list()),
        ...(scope === undefined ? {} : { scopes: scope }),
        ...(days === undefined ? {} : { expiresAt: clock.now() + days * DAY_MS }),
      })
    })
    showSecret(terminal, made, options.json === true)
    return exitCodes.ok
  },
})

export const tokenRotate = defineCommand({
  name: 'token rotate',
  usage: 'NAME-OR-NUMBER [--json]',
  summary: 'give a token a new secret and show it once; the old one stops working',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [key = ''] }) {
    const config = existingConfig(terminal, options)
    const made = await withGateway(config, async ({ tokens }) => await tokens.rotate(keyOf(key)))
    showSecret(terminal, made, options.json === true)
    return exitCodes.ok
  },
})

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  usage: 'NAME-OR-NUMBER [--json]',
  summary: 'end a token at once',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [key = ''] }) {
    const config = existingConfig(terminal, options)
    const ended = await withGateway(config, async ({ tokens }) => await tokens.revoke(keyOf(key)))
    terminal.out(options.json === true ? JSON.stringify(rowOf(ended)) : `Token ${ended.id} (${ended.name}) is revoked.`)
    return exitCodes.ok
  },
})

export const tokenList = defineCommand({
  name: 'token list',
  usage: '[--json]',
  summary: 'list the local tokens',
  options: sharedOptions,
  async run(terminal, { options }) {
    const config = existingConfig(terminal, options)
    const rows = await withGateway(config, async ({ tokens }) => tokens.list().map(rowOf))
    if (options.json === true) terminal.out(JSON.stringify(rows))
    else if (rows.length === 0) {
      const command = shellLine(crowCommand(terminal, config, 'token', 'create'))
      terminal.out(`There is no local token yet; ${command} makes one.`)
    } else {
      for (const line of tableOf(
        ['id', 'name', 'state', 'scopes', 'made', 'last used', 'expires'],
        rows.map((row) => [
          row.id,
          row.name,
          row.state,
          row.scopes?.join(' ') ?? 'all',
          row.createdAt,
          row.lastUsedAt,
          row.expiresAt,
        ]),
      ))
        terminal.out(line)
    }
    return exitCodes.ok
  },
})

/** For what needs tokens that are there. */
function existingConfig(terminal: Terminal, options: PlaceOptions): Config {
  const config = configOf(terminal, options)
  refuseMissing(config)
  return config
}

/** Access to a server that does not exist would be a token that opens nothing. */
function refuseUnknownScope(scope: string, known: readonly string[]): void {
  if (known.includes(scope)) return
  const near = nearest(scope, known)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new UsageError(`--scope is one of ${known.join(', ')}, not ${JSON.stringify(scope)}${hint}`)
}

function showSecret(terminal: Terminal, made: NewToken, asJson: boolean): void {
  if (asJson) {
    terminal.out(JSON.stringify({ id: made.id, name: made.name, token: made.secret }))
    return
  }
  terminal.out(made.secret)
  terminal.err(
    `Token ${made.id} (${made.name}). This is the only time its secret is shown; clients send it as: Authorization: Bearer TOKEN`,
  )
}

function rowOf(token: LocalToken) {
  const { id, name, state, scopes } = token
  return {
    id,
    name,
    state,
    scopes,
    createdAt: isoOf(token.createdAt),
    lastUsedAt: isoOf(token.lastUsedAt),
    expiresAt: isoOf(token.expiresAt),
    revokedAt: isoOf(token.revokedAt),
  }
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** A token is found by its number or its name. */
function keyOf(typed: string): number | string {
  return /^\d{1,15}$/.test(typed) ? Number(typed) : typed
}

function freeName(tokens: readonly LocalToken[]): string {
  const taken = new Set(tokens.filter(({ state }) => state === 'live').map(({ name }) => name))
  let number = 1
  while (taken.has(`token-${number}`)) number++
  return `token-${number}`
}
