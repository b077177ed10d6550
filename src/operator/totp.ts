// The second factor: time-based codes (RFC 6238) as authenticator apps make them, six digits of SHA-1 every 30 seconds.
import { asTotpCode } from './codes.ts'

const PERIOD_SECONDS = 30
/** A clock that is one step off, and a code typed at the end of its time, still pass. */
const WINDOW_STEPS = 1
/** 20 bytes, the length of the hash (RFC 4226 §4 R6). */
const SECRET_BYTES = 20

const settings = { issuer: 'Crow', algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const

/** A new secret in base 32. */
export async function freshTotpSecret(): Promise<string> {
  const { Secret } = await import('otpauth')
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The address that an app reads from the QR code. @param label what the app calls this account */
export async function totpAddress(secret: string, label: string): Promise<string> {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ ...settings, label, secret: Secret.fromBase32(secret) }).toString()
}

/** The time step whose code was typed, within one step of now; undefined for any other text. Compares in constant time. */
export async function stepOf(secret: string, typed: string, now: number): Promise<number | undefined> {
  const token = asTotpCode(typed)
  if (token === undefined) return undefined
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ ...settings, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: now, window: WINDOW_STEPS })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}
