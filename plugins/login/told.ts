// What a form says about an attempt that was refused.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccessError, DomainError } from '../../src/errors.ts'
import type { Problem } from '../../src/pages/notice.ts'
import { answerFailure } from '../armour/errors.ts'

/** The words for the page; sets the status of the answer. Whatever was not expected goes on to the error handler. */
export function toldOf(error: unknown, request: FastifyRequest, reply: FastifyReply): Problem {
  if (!(error instanceof AccessError || error instanceof DomainError)) throw error
  return answerFailure(error, request, reply)
}

/** @throws DomainError PASSWORD_UNEQUAL */
export function refuseUnequal(password: string, repeated: string): void {
  if (password === repeated) return
  throw new DomainError('invalid', 'PASSWORD_UNEQUAL', 'The two passwords are not the same.', {
    hint: 'Type both again.',
  })
}
