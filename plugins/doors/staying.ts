// A door is passed once, a stream stays: whoever opened one has to leave when their token is revoked, replaced or expires.
import type { FastifyInstance } from 'fastify'
import type { VerifiedToken, VerifiedTokens } from '../../src/oauth/verified.ts'

/** The longest a timer of Node can wait. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The part of a request used here. */
export interface Guest {
  readonly pass: VerifiedToken | undefined
  readonly server: {
    readonly clock: { now(): number }
    readonly tokens: { readonly verified: Pick<VerifiedTokens, 'onClear'> }
  }
}

/** Calls `end` once this caller may not come in any more. @returns stops watching */
export function onceUnwelcome({ pass, server }: Guest, end: () => void): () => void {
  if (pass === undefined) return () => undefined
  const { clock, tokens } = server
  let timer: NodeJS.Timeout | undefined
  // A timer may fire early by the clock: it has been set back, or the time was longer than a timer can wait. Then it waits again.
  const wait = (): void => {
    if (pass.expiresAt === Infinity) return
    clearTimeout(timer)
    const untilExpiryMs = Math.max(pass.expiresAt - clock.now(), 1)
    timer = setTimeout(look, Math.min(untilExpiryMs, TIMER_MS_MAX)).unref()
  }
  const look = (): void => (pass.isGood(clock.now()) ? wait() : end())
  const off = tokens.verified.onClear(look)
  // Between the door and the stream there was time to be revoked in.
  look()
  return () => {
    clearTimeout(timer)
    off()
  }
}

/** Whether anything this caller once showed could still let them in: for what they left behind without a stream. */
export function isWelcome({ authorizations, tokens }: FastifyInstance, callerId: string): boolean {
  const [kind, number] = callerId.split(':')
  if (kind === 'oauth') return authorizations.isLive(Number(number))
  return kind !== 'local' || tokens.isLive(Number(number))
}
