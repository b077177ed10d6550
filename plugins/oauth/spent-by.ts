// What each request to the token endpoint has used up.
import type { FastifyRequest } from 'fastify'

export interface Spendable {
  readonly model: 'RefreshToken' | 'AuthorizationCode'
  readonly id: string
  /** The refresh token that was stored in exchange. */
  successor?: string
}

export const spentBy = new WeakMap<FastifyRequest, Spendable>()
