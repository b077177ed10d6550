// Bytes of the ledger as tokens. Nothing counts tokens while a gateway serves: a factor for each mount was measured when this
// version was built, so what comes out is an estimate and is shown as one.
import type { LedgerLine } from '../../db/context-ledger.ts'
import { bytesPerToken, replyBytesPerToken } from './factors.ts'

/** Tokens, not rounded. */
export interface TokenEstimate {
  /** Lists that were sent. */
  readonly sent: number
  /** The same with every tool listed by itself. */
  readonly direct: number
  readonly discover: number
  readonly errors: number
  /** `direct` less the others; negative where the way through the mount cost more. */
  readonly saved: number
}

/** @param lines of any days, clients and mounts */
export function estimateTokens(lines: readonly LedgerLine[]): TokenEstimate {
  let [sent, direct, discover, errors] = [0, 0, 0, 0]
  for (const line of lines) {
    const list = line.listBytes / bytesPerToken(line.mount)
    const reply = replyBytesPerToken(line.mount)
    sent += list
    // What was sent as it is has as many tokens as it would have had.
    direct += line.directBytes === line.listBytes ? list : line.directBytes / bytesPerToken()
    discover += line.discoverBytes / reply
    errors += line.errorBytes / reply
  }
  return { sent, direct, discover, errors, saved: direct - sent - discover - errors }
}

const UNITS = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Two or three digits are all that an estimate has: `~310`, `~2.6k`, `~-12k`; `0` is exact. */
export function shownEstimate(tokens: number): string {
  const size = Math.abs(tokens)
  if (size < 0.5) return '0'
  const sign = tokens < 0 ? '-' : ''
  const rounded = Number(size.toPrecision(size < 1e3 ? 2 : 3))
  const [unit, letter] = UNITS.find(([each]) => rounded >= each) ?? [1, '']
  const value = rounded / unit
  return `~${sign}${value < 10 && unit > 1 ? value.toFixed(1) : Math.round(value)}${letter}`
}
