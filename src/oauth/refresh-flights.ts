// Refreshing once, answering everybody: programs that share one stored login refresh it at the same moment, and the losers
// must not look like thieves. Kept in memory only, and only for moments.
import type { Clock } from '../runtime/context.ts'
import { digestOf } from './verified.ts'

/** What a refresh was answered with. */
export interface RefreshAnswer {
  readonly status: number
  readonly body: string
}

export interface RefreshFlights<Answer extends RefreshAnswer> {
  /**
   * Answers a refresh: by `refresh`, by joining one under way, or from the memory of a success of the last 10 s. `refresh`
   * judges when that is no longer good, and when something else is asked for than was given.
   */
  fly(request: RefreshRequest, refresh: () => Promise<Answer>): Promise<Answer>
  clear(): void
  readonly size: number
}

export interface RefreshRequest {
  readonly authorization: string | undefined
  /** The form; its order does not matter. */
  readonly form: URLSearchParams
}

interface Flight<Answer> {
  readonly answer: Promise<Answer>
  /** What was asked for. */
  readonly aim: string
  /** Epoch milliseconds; undefined while under way. */
  landedAt: number | undefined
}

export const REPLAY_MS = 10_000
const FLIGHTS_MAX = 1000

/**
 * @param isGood whether what was answered still holds, asked before it is answered again. Where the token it gave was used since,
 *   it must not: then the old one comes from somebody else
 */
export function createRefreshFlights<Answer extends RefreshAnswer>(
  clock: Clock,
  isGood: (answer: Answer) => boolean = () => true,
): RefreshFlights<Answer> {
  const flights = new Map<string, Flight<Answer>>()
  const forget = (key: string, flight: Flight<Answer>): void => {
    if (flights.get(key) === flight) flights.delete(key)
  }
  const land = (key: string, flight: Flight<Answer>, answer: Answer): void => {
    if (answer.status !== 200) return forget(key, flight)
    flight.landedAt = clock.now()
    setTimeout(() => forget(key, flight), REPLAY_MS).unref()
  }
  const replay = async (known: Flight<Answer>, key: string, refresh: () => Promise<Answer>): Promise<Answer> => {
    const answer = await known.answer
    if (isGood(answer)) return answer
    forget(key, known)
    return await refresh()
  }
  return {
    fly(request, refresh) {
      const key = keyOf(request)
      const now = clock.now()
      const known = flights.get(key)
      const aim = aimOf(request.form)
      if (known !== undefined && known.aim !== aim) return known.answer.then(refresh, refresh)
      if (known !== undefined && known.landedAt === undefined) return known.answer
      if (known?.landedAt !== undefined && isRecent(known.landedAt, now)) return replay(known, key, refresh)
      if (known !== undefined) forget(key, known)
      if (flights.size >= FLIGHTS_MAX) return refresh()
      const answer = refresh()
      const flight: Flight<Answer> = { answer, aim, landedAt: undefined }
      flights.set(key, flight)
      answer.then(
        (landed) => land(key, flight, landed),
        () => forget(key, flight),
      )
      return answer
    },
    clear: () => flights.clear(),
    get size() {
      return flights.size
    },
  }
}

const isRecent = (landedAt: number, now: number): boolean => now >= landedAt && now - landedAt < REPLAY_MS

const PROOFS = ['client_id', 'client_secret', 'refresh_token'] as const

/** Who asks: the same credentials and the same token, whatever else the form holds. */
function keyOf({ authorization = '', form }: RefreshRequest): string {
  return digestOf(JSON.stringify([authorization, ...PROOFS.map((name) => form.getAll(name))]))
}

/** What for: the same scopes at the same resources, in any order. */
function aimOf(form: URLSearchParams): string {
  const scopes = new Set(form.getAll('scope').flatMap((scope) => scope.split(' ')))
  return JSON.stringify([[...scopes].toSorted(), form.getAll('resource').toSorted()])
}
