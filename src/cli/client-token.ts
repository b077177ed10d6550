// The local token that stands in one entry of a client's file: kept while it opens this gateway, otherwise made. A token that
// exists is never given a new secret here, as another entry may send the one it has.
import type { Config } from '../config.ts'
import { AccessError, DomainError } from '../errors.ts'
import { sha256Hex } from '../lib/hashing.ts'
import { isRecord } from '../lib/json.ts'
import type { LocalTokens, NewToken } from '../oauth/local-tokens.ts'
import { crowCommand } from './connection.ts'
import { shellLine } from './launch.ts'
import { withGateway } from './setup.ts'
import type { Terminal } from './terminal.ts'

/** A token's name has room for no more. */
const ENTRY_CHARS_MAX = 40
const ROUNDS_MAX = 8

interface TokenPlace {
  /** Name of the token; a number is added where it is taken. */
  readonly name: string
  /** The secret that is in the file now. */
  readonly kept: string | undefined
  /** Called before a secret is made; throws when the file cannot take it, or must not lose the secret that is in it. */
  readonly ready: () => Promise<void>
}

/** The secret for the file. Whatever `ready` throws is thrown on, and then no token was touched. */
export async function keepOrMakeToken(
  terminal: Terminal,
  config: Config,
  { name, kept, ready }: TokenPlace,
): Promise<string> {
  return await withGateway(config, async ({ tokens }) => {
    if (kept !== undefined && isLiveSecret(tokens, kept)) return kept
    await ready()
    const made = await makeToken(tokens, name)
    terminal.err(`Made the local token ${made.name}.`)
    if (made.name !== name) {
      const end = shellLine(crowCommand(terminal, config, 'token', 'revoke', name))
      terminal.err(`The token ${name} is still live; where nothing uses it any more, end it: ${end}`)
    }
    return made.secret
  })
}

/** Others may make tokens at the same time, so a free name may be taken a moment later. */
async function makeToken(tokens: LocalTokens, name: string): Promise<NewToken> {
  for (let round = 1; ; round++) {
    try {
      return await tokens.create({ name: freeName(tokens, name) })
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'TOKEN_NAME_TAKEN' || round === ROUNDS_MAX) throw error
    }
  }
}

function freeName(tokens: LocalTokens, name: string): string {
  const taken = new Set(
    tokens
      .list()
      .filter(({ revokedAt }) => revokedAt === null)
      .map((token) => token.name),
  )
  let number = 1
  let free = name
  while (taken.has(free)) free = `${name}-${++number}`
  return free
}

/** Name of the token of one entry: that of the client for its usual entry, otherwise its own. */
export function tokenNameOf(client: string, entry: string, otherFile: string | undefined): string {
  const place = otherFile === undefined ? '' : `-${sha256Hex(otherFile).slice(0, 8)}`
  return `${client}${entry === 'crow' ? '' : `/${entry.slice(0, ENTRY_CHARS_MAX)}`}${place}`
}

/** The secret that an entry of a client's file sends, or undefined when it sends none or takes it from elsewhere. */
export function secretIn(entry: unknown): string | undefined {
  const headers = isRecord(entry) ? entry['headers'] : undefined
  return /Bearer ([^"$\s][^"\s]*)/.exec(JSON.stringify(headers ?? null))?.[1]
}

/** Whether `secret` opens the gateway on this data folder now. */
export function isLiveSecret(tokens: LocalTokens, secret: string): boolean {
  try {
    tokens.verify(secret)
    return true
  } catch (error) {
    if (error instanceof AccessError) return false
    throw error
  }
}
