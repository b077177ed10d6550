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
   * Answers a refresh: by `refresh`, by joining one under way, or from the memory of a success of the last 10 s, unless
   * the token it gave was used since: then the old one comes from somebody else, and `refresh` judges it. So it does when
   * the answer is worth nothing any more, and when something else is asked for than was given.
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

/** @param isGood whether what was answered still holds, asked before it is answered again */
export function createRefreshFlights<Answer extends RefreshAnswer>(
  clock: Clock,
  isGood: (answer: Answer) => boolean = () => true,
): RefreshFlights<Answer> {
  const flights = new Map<string, Flight<Answer>>()
  /** By the digest of the token a flight gave, the key of that flight. */
  const parents = new Map<string, string>()
  const forget = (key: string, flight: Flight<Answer>): void => {
    if (flights.get(key) !== flight) return
    flights.delete(key)
    for (const [successor, parent] of parents) if (parent === key) parents.delete(successor)
  }
  const land = (key: string, flight: Flight<Answer>, answer: Answer, used: string): void => {
    const parent = parents.get(used)
    const earlier = parent === undefined ? undefined : flights.get(parent)
    if (answer.status !== 200) return forget(key, flight)
    if (parent !== undefined && earlier !== undefined) forget(parent, earlier)
    flight.landedAt = clock.now()
    const successor = successorIn(answer.body)
    if (successor !== undefined) parents.set(digestOf(successor), key)
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
      const used = digestOf(request.form.get('refresh_token') ?? '')
      const answer = refresh()
      const flight: Flight<Answer> = { answer, aim, landedAt: undefined }
      flights.set(key, flight)
      answer.then(
        (landed) => land(key, flight, landed, used),
        () => forget(key, flight),
      )
      return answer
    },
    clear() {
      flights.clear()
      parents.clear()
    },
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

function successorIn(body: string): string | undefined {
  const parsed = parse(body)
  if (typeof parsed !== 'object' || parsed === null || !('refresh_token' in parsed)) return undefined
  return typeof parsed.refresh_token === 'string' ? parsed.refresh_token : undefined
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
