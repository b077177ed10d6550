// The bounds of a call where nobody set others, and the checks that a declared bound makes sense.
import { CompileError } from './compile-error.ts'
import type { Limits } from './tool.ts'

export const defaultLimits: Readonly<Required<Limits>> = Object.freeze({
  activeMax: 64,
  queueMax: 256,
  waitMs: 10_000,
  deadlineMs: 60_000,
  egressBytesMax: 100_000,
})

/** Room for the notice that says what was cut and how to get it. */
export const EGRESS_BYTES_MIN = 1024

/** Later settings win: runtime defaults, options, server, tool. @throws CompileError on a bound out of range */
export function resolveLimits(where: string, ...layers: readonly (Limits | undefined)[]): Readonly<Required<Limits>> {
  const limits = { ...defaultLimits }
  for (const layer of layers) {
    if (layer === undefined) continue
    for (const [key, value] of Object.entries(layer)) if (value !== undefined) Reflect.set(limits, key, value)
  }
  const lowest: Record<keyof Limits, number> = {
    activeMax: 1,
    queueMax: 0,
    waitMs: 0,
    deadlineMs: 1,
    egressBytesMax: EGRESS_BYTES_MIN,
  }
  for (const [key, least] of Object.entries(lowest)) {
    const value: unknown = Reflect.get(limits, key)
    if (!Number.isSafeInteger(value) || Number(value) < least)
      throw new CompileError(where, `limit ${key} must be an integer of at least ${least}`)
  }
  return Object.freeze(limits)
}
