// How the answers of the protocol take their places in the budget of open streams.
import { STREAM_RETRY_SECONDS, type StreamBudget } from '../lib/stream-budget.ts'
import { readableId, refuse, type Answer, type StreamAnswer } from './answer.ts'
import { formsOf, type Exchange } from './exchange.ts'
import { CODE } from './protocol.ts'

type Served = Answer | StreamAnswer

/** Serves a stream that a client listens to, and counts it until its end; 503 when there is no place. */
export async function admitListener(
  streams: StreamBudget,
  exchange: Exchange,
  serve: () => Served | Promise<Served>,
): Promise<Served> {
  const place = streams.take(exchange.caller.id)
  if (typeof place === 'string') return refusal(exchange, place)
  const answer = await untilEnded(place, serve)
  return 'events' in answer ? { ...answer, listens: true } : answer
}

/**
 * Serves a request whose answer may be a stream. Without a place for one it is answered in one piece, so that listeners never
 * keep anybody from calling; 503 only for a client that takes nothing but streams.
 */
export async function admitCall(
  streams: StreamBudget,
  exchange: Exchange,
  serve: (exchange: Exchange) => Promise<Served>,
): Promise<Served> {
  const forms = formsOf(exchange)
  if (!forms.events) return serve(exchange)
  const place = streams.take(exchange.caller.id)
  if (typeof place !== 'string') return untilEnded(place, () => serve(exchange))
  if (!forms.json) return refusal(exchange, place)
  return serve({ ...exchange, headers: { ...exchange.headers, accept: 'application/json' } })
}

/** Calls `leave` when the answer is over: at once when it is no stream, else at its end. */
export async function untilEnded(leave: () => void, serve: () => Served | Promise<Served>): Promise<Served> {
  let answer: Served | undefined
  try {
    answer = await serve()
  } finally {
    if (answer === undefined || !('events' in answer)) leave()
  }
  if (!('events' in answer)) return answer
  const { ended } = answer
  return {
    ...answer,
    ended: () => {
      leave()
      ended?.()
    },
  }
}

const refusal = ({ body }: Exchange, why: string): Answer =>
  refuse(503, CODE.refused, why, {
    id: readableId(body),
    headers: { 'retry-after': String(STREAM_RETRY_SECONDS) },
  })
