// How a client of the newer era takes a call back.
import type { ServerResponse } from 'node:http'
import type { RequestId } from './answer.ts'

/** Closing the response stream is how a 2026 client cancels (Streamable HTTP, Cancellation). Looked at only when a call asks. */
export class Departure {
  readonly #response: ServerResponse
  #controller: AbortController | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  signalFor(_id: RequestId): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    const response = this.#response
    if (response.destroyed) controller.abort()
    response.once('close', () => {
      if (!response.writableFinished) controller.abort()
    })
    return controller.signal
  }

  cancel(_id: RequestId): void {
    this.#controller?.abort()
  }
}
