// A door is passed once, a stream stays: whoever opened one has to leave when their token is revoked, replaced or expires.
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The longest a timer of Node can wait. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Calls `end` once this caller may not come in any more. @returns stops watching */
export function onceUnwelcome({ pass, server }: FastifyRequest, end: () => void): () => void {
  if (pass === undefined) return () => undefined
  const { clock, tokens } = server
  const look = (): void => {
    if (!pass.isGood(clock.now())) end()
  }
  const untilExpiryMs = pass.expiresAt - clock.now()
  const timer = untilExpiryMs <= TIMER_MS_MAX ? setTimeout(look, untilExpiryMs).unref() : undefined
  const off = tokens.verified.onClear(look)
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
