// Digests for identity and integrity; never for passwords.
import { createHash } from 'node:crypto'

/** SHA-256 of UTF-8 text or bytes, lower-case hexadecimal. */
export function sha256Hex(input: string | Uint8Array): string {
  return createHash('sha256').update(input).digest('hex')
}
