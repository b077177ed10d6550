// Making a local token for the owner at the dashboard: what is asked for, checked against what there is.
import { DAY_MS } from '../../src/lib/time.ts'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../src/errors.ts'
import type { NewToken } from '../../src/oauth/local-tokens.ts'

/** A hundred years: longer than anybody means. */
export const DAYS_MAX = 36_500

export interface TokenWish {
  readonly name: string
  readonly scopes: readonly string[]
  /** Whether it is for everything, also what comes later. Then no scope may be named. */
  readonly everything: boolean
  /** Days until it expires; undefined for never. */
  readonly days: number | undefined
}

export interface MadeToken extends NewToken {
  /** Null for everything. */
  readonly scopes: readonly string[] | null
  readonly expiresAt: number | null
}

/** @throws DomainError TOKEN_NAME_TAKEN, TOKEN_NAME_INVALID, TOKEN_SCOPE_INVALID */
export async function makeToken({ tokens, scopes, clock }: FastifyInstance, wish: TokenWish): Promise<MadeToken> {
  const asked = [...new Set(wish.scopes)]
  if (asked.length === 0 && !wish.everything) throw scopeInvalid('Say what the token may do: one scope at least.')
  if (asked.length > 0 && wish.everything) throw scopeInvalid('A token for everything needs no scope beside that.')
  const unknown = asked.find((scope) => !scopes.local.includes(scope))
  if (unknown !== undefined) {
    const known = `It is one of ${scopes.local.join(', ')}.`
    throw scopeInvalid(`There is no scope ${JSON.stringify(unknown.slice(0, 80))}.`, known)
  }
  const expiresAt = wish.days === undefined ? null : clock.now() + wish.days * DAY_MS
  const made = await tokens.create({
    name: wish.name,
    ...(wish.everything ? {} : { scopes: asked }),
    ...(expiresAt === null ? {} : { expiresAt }),
  })
  return { ...made, scopes: wish.everything ? null : asked, expiresAt }
}

const scopeInvalid = (message: string, hint?: string): DomainError =>
  new DomainError('invalid', 'TOKEN_SCOPE_INVALID', message, hint === undefined ? {} : { hint })
