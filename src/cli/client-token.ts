// The local token that stands in a client's file: kept while it opens this gateway, otherwise made, or given a new secret.
import type { Config } from '../config.ts'
import { AccessError } from '../errors.ts'
import type { LocalTokens } from '../oauth/local-tokens.ts'
import { withGateway } from './setup.ts'
import type { Terminal } from './terminal.ts'

interface TokenPlace {
  /** Name of the token. */
  readonly name: string
  /** The secret that is in the file now. */
  readonly kept: string | undefined
  /** Called before a secret is made; throws when the file cannot take it. */
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
    const isLive = tokens.list().some((token) => token.name === name && token.state === 'live')
    const { secret } = isLive ? await tokens.rotate(name) : await tokens.create({ name })
    terminal.err(isLive ? `The token ${name} has a new secret.` : `Made the local token ${name}.`)
    return secret
  })
}

/** The secret that an entry of a client's file sends, or undefined when it sends none or takes it from elsewhere. */
export function secretIn(entry: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return /Bearer ([^"$\s][^"\s]*)/.exec(JSON.stringify(entry?.['headers'] ?? null))?.[1]
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
