// The form of a request of this room, whose bodies nobody parsed.
import type { FastifyRequest } from 'fastify'

/** Undefined for a body of another type. */
export function formOf({ headers, body }: FastifyRequest): URLSearchParams | undefined {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' && typeof body === 'string'
    ? new URLSearchParams(body)
    : undefined
}
