// Sealed state: what the gateway hands out and must recognise later, on this process or another with the same key,
// without keeping it. HMAC-SHA-256 over a JSON payload; anything altered, expired or meant for another reads as nothing.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isRecord } from '../lib/json.ts'

const KEY_BYTES = 32
const CODE_BYTES = 16
const SEALED_CHARS_MAX = 16_384

export type SealedPayload = Readonly<Record<string, string | number>>

export interface Seal {
  /** `payload.mac`, both base64url. */
  close(payload: SealedPayload): string
  /** A short code over text that the reader can put together again: 128 bits, 22 characters. */
  sign(text: string): string
  verify(text: string, code: string): boolean
  /** The payload, or undefined when the text was not sealed with this key. Expiry is the reader's business. */
  open(sealed: string): Record<string, unknown> | undefined
}

/** @param key 32 bytes shared by every process that must accept the same states; absent: this process only */
export function createSeal(key: Uint8Array = randomBytes(KEY_BYTES)): Seal {
  const mac = (body: string) => createHmac('sha256', key).update(body).digest()
  const sign = (text: string) => mac(`code:${text}`).toString('base64url', 0, CODE_BYTES)
  return Object.freeze({
    sign,
    verify(text: string, code: string): boolean {
      const [given, expected] = [Buffer.from(code), Buffer.from(sign(text))]
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    close(payload: SealedPayload): string {
      const body = Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url')
      return `${body}.${mac(body).toString('base64url')}`
    },
    open(sealed: string): Record<string, unknown> | undefined {
      if (sealed.length > SEALED_CHARS_MAX) return undefined
      const dot = sealed.indexOf('.')
      const body = sealed.slice(0, Math.max(dot, 0))
      const given = Buffer.from(sealed.slice(dot + 1), 'base64url')
      const expected = mac(body)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      const payload: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
      return isRecord(payload) ? payload : undefined
    },
  })
}
