// The bound on streams that a client keeps open to listen: each holds a socket for as long as the client likes.
import { readableId, refuse, type Answer, type StreamAnswer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { CODE } from './protocol.ts'

const RETRY_SECONDS = '30'

export class StreamBudget {
  readonly #max: number
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  get open(): number {
    return this.#open
  }

  /** Runs `serve` and counts its stream until the end; 503 when the bound is reached. */
  async admit(exchange: Exchange, serve: () => Promise<Answer | StreamAnswer>): Promise<Answer | StreamAnswer> {
    if (this.#open >= this.#max) return this.#refusal(exchange)
    this.#open++
    let answer: Answer | StreamAnswer | undefined
    try {
      answer = await serve()
    } finally {
      if (answer === undefined || !('events' in answer)) this.#open--
    }
    if (!('events' in answer)) return answer
    const { ended } = answer
    return {
      ...answer,
      ended: () => {
        this.#open--
        ended?.()
      },
    }
  }

  #refusal({ body }: Exchange): Answer {
    return refuse(503, CODE.refused, `At most ${this.#max} streams can be open at once; close one or try again later`, {
      id: readableId(body),
      headers: { 'retry-after': RETRY_SECONDS },
    })
  }
}
