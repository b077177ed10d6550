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
   * the token it gave was used since: then the old one comes from somebody else, and `refresh` judges it.
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
  /** Epoch milliseconds; undefined while under way. */
  landedAt: number | undefined
}

const REPLAY_MS = 10_000
const FLIGHTS_MAX = 1000

export function createRefreshFlights<Answer extends RefreshAnswer>(clock: Clock): RefreshFlights<Answer> {
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
  return {
    fly(request, refresh) {
      const key = keyOf(request)
      const now = clock.now()
      const known = flights.get(key)
      if (known !== undefined && (known.landedAt === undefined || isRecent(known.landedAt, now))) return known.answer
      if (known !== undefined) forget(key, known)
      if (flights.size >= FLIGHTS_MAX) return refresh()
      const used = digestOf(request.form.get('refresh_token') ?? '')
      const answer = refresh()
      const flight: Flight<Answer> = { answer, landedAt: undefined }
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

/** Who asks for what: the same credentials and the same form, whatever its order. */
function keyOf({ authorization = '', form }: RefreshRequest): string {
  const sorted = [...form].map(([name, value]) => JSON.stringify([name, value])).toSorted()
  return digestOf(`${authorization}\n${sorted.join('\n')}`)
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
