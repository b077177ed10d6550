// Decides when a cron expression is due. An expression that names hours follows the wall clock: a skipped time runs at the
// next valid minute, a repeated one once. With `*` for the hour it follows elapsed time, so no hour is lost or doubled.
import { Cron } from 'croner'
import { DomainError } from '../../../errors.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import { fromWall, toWall } from './zone.ts'

/** More matches than this cannot lie inside one repeated hour of a minute-grained expression. */
const CANDIDATES_MAX = 3000
/** Room for the largest repeated stretch of local time: candidates are looked for from before it. */
const OVERLAP_MS = 3 * HOUR_MS

/**
 * The first time strictly after `afterMs` at which the expression is due, or `undefined` when it never is again.
 * Five fields (minute hour day month weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
 * @throws DomainError CRON_INVALID with one sentence that says what is wrong
 */
export function nextDue(expression: string, timeZone: string, afterMs: number): number | undefined {
  if (followsElapsedTime(expression)) return runAfter(compile(expression, timeZone), afterMs)
  const walls = compile(expression, 'UTC')
  let wall = toWall(afterMs, timeZone) - OVERLAP_MS
  for (let tried = 0; tried < CANDIDATES_MAX; tried += 1) {
    const candidate = runAfter(walls, wall)
    if (candidate === undefined) return undefined
    const instant = fromWall(candidate, timeZone)
    if (instant > afterMs) return instant
    wall = candidate
  }
  return undefined
}

/** @throws DomainError CRON_INVALID unless the expression is well formed and comes due at least once after `nowMs`. */
export function firstDue(expression: string, timeZone: string, nowMs: number): number {
  const due = nextDue(expression, timeZone, nowMs)
  if (due === undefined) throw invalid(expression, 'it never comes due')
  return due
}

function followsElapsedTime(expression: string): boolean {
  const fields = expression.trim().split(/\s+/)
  return fields[0]?.toLowerCase() === '@hourly' || /^[*?]$/.test(fields[1] ?? '')
}

function runAfter(cron: Cron, afterMs: number): number | undefined {
  return cron.nextRun(new Date(afterMs))?.getTime()
}

function compile(expression: string, timeZone: string): Cron {
  try {
    return new Cron(expression.trim(), { paused: true, mode: '5-part', timezone: timeZone })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw invalid(expression, reasonOf(error.message))
  }
}

function invalid(expression: string, reason: string): DomainError {
  return new DomainError(
    'invalid',
    'CRON_INVALID',
    `The cron expression ${JSON.stringify(expression)} is not usable: ${reason}.`,
    {
      hint: 'Use five fields: minute hour day month weekday, for example "0 9 * * 1-5" for nine in the morning on working days.',
    },
  )
}

/** The parser's own sentence, without its prefix and closing stop. */
function reasonOf(message: string): string {
  if (/parts are required|requires exactly/.test(message)) return 'it needs exactly five fields'
  return message
    .replace(/^\w+: /, '')
    .replace(/\.$/, '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
}
