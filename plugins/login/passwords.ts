// What both passwords of a form have to be.
import { DomainError } from '../../src/errors.ts'

/** @throws DomainError PASSWORD_UNEQUAL */
export function refuseUnequal(password: string, repeated: string): void {
  if (password === repeated) return
  throw new DomainError('invalid', 'PASSWORD_UNEQUAL', 'The two passwords are not the same.', {
    hint: 'Type both again.',
  })
}
