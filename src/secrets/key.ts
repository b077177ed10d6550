// One key of 256 bits: how it is written, what it is called, and which ones are too weak to be a key at all.
import { hkdfSync, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
/** Random bytes repeat hardly ever: 32 of them with fewer different values are no accident. */
const DISTINCT_BYTES_MIN = 16

export interface Key {
  /** Public name of the key, found in every text it sealed. */
  readonly id: string
  readonly bytes: Buffer
}

/** HKDF-SHA256 (RFC 5869) of a key for one purpose: 32 bytes that tell nothing of the key or of another purpose. */
export function deriveFrom(bytes: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), `crow/${purpose}`, KEY_BYTES))
}

/** A key of these bytes. */
function keyOf(bytes: Buffer): Key {
  return Object.freeze({ id: deriveFrom(bytes, 'key id').toString('base64url', 0, 6), bytes })
}

/** A new random key. */
export function freshKey(): Key {
  return keyOf(randomBytes(KEY_BYTES))
}

/** The one line that holds a key. */
export function writeKey({ bytes }: Key): string {
  return bytes.toString('base64url')
}

/**
 * Reads a key written as 43 characters of base64url (44 of base64) or 64 of hexadecimal.
 * @returns the key, or the reason why it is none, to stand after the name of its place
 */
export function readKey(written: string): Key | string {
  const isHex = /^[0-9a-f]{64}$/i.test(written)
  if (!isHex && !/^[\w+/-]{43}=?$/.test(written)) return 'is not a key: 32 bytes as base64url or hexadecimal'
  const bytes = Buffer.from(written, isHex ? 'hex' : 'base64')
  if (bytes.length !== KEY_BYTES) return 'is not a key: 32 bytes as base64url or hexadecimal'
  if (new Set(bytes).size < DISTINCT_BYTES_MIN) return 'is too weak: take 32 random bytes'
  return keyOf(bytes)
}
