// One-time codes that people read and type: how they are made, read back, and kept as SHA-256 only.
import { createHash, randomInt } from 'node:crypto'

/** Crockford's base 32: no letter that looks like a digit. Twelve of them are 60 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const SETUP_LETTERS = 12
/** Digits only, so that a phone shows the same keys as for the code of an app. Twenty of them are 66 bits. */
const RECOVERY_DIGITS = 20
const GROUP = 4

const inGroups = (text: string): string => text.replaceAll(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-')
const draw = (letters: string, length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** `XXXX-XXXX-XXXX` */
export function freshSetupCode(): string {
  return inGroups(draw(ALPHABET, SETUP_LETTERS))
}

/** `1234-5678-9012-3456-7890` */
export function freshRecoveryCode(): string {
  return inGroups(draw('0123456789', RECOVERY_DIGITS))
}

/** A code as typed, without what people put between the letters, and with the letters that they take for others. */
function plainCode(typed: string): string {
  return typed.normalize('NFKC').toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/** SHA-256 of a code, however it was typed. */
export function hashOfCode(typed: string): Buffer {
  return createHash('sha256')
    .update(`code:${plainCode(typed)}`)
    .digest()
}

/** The six digits of an authenticator app, or undefined for anything else. */
export function asTotpCode(typed: string): string | undefined {
  const digits = typed.normalize('NFKC').replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(digits) ? digits : undefined
}
