// Identifiers: UUIDv7 (RFC 9562 §5.7, sorts by time, monotonic inside one process) and unguessable tokens.
import { randomBytes } from 'node:crypto'

const SEQUENCE_MAX = 0xfff
/** 24 bytes are 192 bits, 32 base64url characters. */
const TOKEN_BYTES = 24

export interface IdSource {
  /** UUIDv7. Two calls never give the same, and later calls sort later, also when the clock steps back. */
  uid(): string
  /** 192 random bits, base64url. */
  token(): string
}

/** @param clock wall time in epoch milliseconds */
export function createIds(clock: { now(): number } = { now: () => Date.now() }): IdSource {
  let lastMs = 0
  let sequence = 0
  return Object.freeze({
    uid(): string {
      const random = randomBytes(10)
      const now = clock.now()
      if (now > lastMs) {
        lastMs = now
        sequence = random.readUInt16BE(8) & 0x7ff
      } else if (++sequence > SEQUENCE_MAX) {
        lastMs += 1
        sequence = 0
      }
      return formatUid(lastMs, sequence, random)
    },
    token: (): string => randomBytes(TOKEN_BYTES).toString('base64url'),
  })
}

function formatUid(ms: number, sequence: number, random: Buffer): string {
  const time = ms.toString(16).padStart(12, '0')
  const middle = (0x7000 | sequence).toString(16)
  const variant = (0x8000 | (random.readUInt16BE(0) & 0x3fff)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${variant}-${random.toString('hex', 2, 8)}`
}
