// The bound on streams that a client keeps open to listen: each holds a socket for as long as the client likes.
import { readableId, refuse, type Answer, type StreamAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { CODE } from './protocol.ts'

const RETRY_SECONDS = '30'

/** One caller may not hold the last quarter, so that a client that leaks streams leaves room for the others. */
const RESERVED_FOR_OTHERS = 0.25

export class StreamBudget {
  readonly #max: number
  readonly #perCallerMax: number
  readonly #byCaller = new Map<string, number>()
  #open = 0

  constructor(max: number) {
    this.#max = max
    this.#perCallerMax = max - Math.floor(max * RESERVED_FOR_OTHERS)
  }

  get open(): number {
    return this.#open
  }

  /** Runs `serve` and counts its stream until the end; 503 when a bound is reached. */
  async admit(exchange: Exchange, serve: () => Promise<Answer | StreamAnswer>): Promise<Answer | StreamAnswer> {
    const callerId = exchange.caller.id
    if (this.#open >= this.#max) return refusal(exchange, `${this.#max} streams`)
    if ((this.#byCaller.get(callerId) ?? 0) >= this.#perCallerMax)
      return refusal(exchange, `${this.#perCallerMax} streams of one caller`)
    this.#count(callerId, 1)
    let answer: Answer | StreamAnswer | undefined
    try {
      answer = await serve()
    } finally {
      if (answer === undefined || !('events' in answer)) this.#count(callerId, -1)
    }
    if (!('events' in answer)) return answer
    const { ended } = answer
    return {
      ...answer,
      ended: () => {
        this.#count(callerId, -1)
        ended?.()
      },
    }
  }

  #count(callerId: string, change: 1 | -1): void {
    this.#open += change
    const own = (this.#byCaller.get(callerId) ?? 0) + change
    if (own === 0) this.#byCaller.delete(callerId)
    else this.#byCaller.set(callerId, own)
  }
}

function refusal({ body }: Exchange, bound: string): Answer {
  return refuse(503, CODE.refused, `At most ${bound} can be open at once; close one or try again later`, {
    id: readableId(body),
    headers: { 'retry-after': RETRY_SECONDS },
  })
}
