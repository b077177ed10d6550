// A call at a 2025 server whose caller can be asked. It goes on at the server while the caller is answering, so its deadline
// stands still meanwhile and it belongs to no single request of the caller.
import { isRecord } from '../lib/json.ts'
import type { InputRequest } from '../runtime/reply.ts'
import type { Questions } from './lane.ts'
import { LinkTimeout, RpcError, type JsonObject, type Link, type RequestOptions } from '../lib/link.ts'
import type { Timers } from './timers.ts'

export interface AskingOptions {
  readonly link: Link
  readonly method: string
  readonly params: JsonObject
  /** How long the server may be silent while nobody is asked. */
  readonly timeoutMs: number
  /** In all, answering included. */
  readonly totalMs: number
  readonly timers: Timers
  /** Once it has ended, however. */
  readonly onEnd: () => void
}

interface Question {
  readonly request: InputRequest
  answer(response: JsonObject): void
  refuse(error: Error): void
}

/** Either questions by name, or the end. */
export type Turn = { readonly questions: Readonly<Record<string, InputRequest>> } | { readonly result: JsonObject }

const REFUSED = -1
const noAnswer = (): RpcError => new RpcError({ code: REFUSED, message: 'The person did not answer.' })

export class AskingCall implements Questions {
  readonly #options: AskingOptions
  readonly #controller = new AbortController()
  readonly #open = new Map<string, Question>()
  readonly #ended: Promise<Turn>
  #asked = 0
  #wake: (() => void) | undefined
  #disarm: (() => void) | undefined
  #progress: RequestOptions['onProgress']

  constructor(options: AskingOptions) {
    this.#options = options
    const { link, method, params, totalMs, onEnd } = options
    this.#arm()
    const { signal } = this.#controller
    const onProgress = (progress: JsonObject): void => this.#progressed(progress)
    this.#ended = link
      .request(method, params, { signal, timeoutMs: totalMs, onProgress })
      .then((result) => ({ result }))
    this.#ended
      .catch((error: unknown) => error)
      .finally(() => {
        this.#refuseAll()
        this.#disarm?.()
        onEnd()
      })
  }

  get waiting(): number {
    return this.#open.size
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>()
    const name = `q${++this.#asked}`
    const close = (): void => {
      this.#open.delete(name)
      if (this.#open.size === 0) this.#arm()
    }
    this.#open.set(name, {
      request: { method, params },
      answer: (response) => (close(), resolve(response)),
      refuse: (error) => (close(), reject(error)),
    })
    signal.addEventListener('abort', () => this.#open.get(name)?.refuse(noAnswer()), { once: true })
    this.#disarm?.()
    this.#wake?.()
    return promise
  }

  /** Gives what the caller answered; questions without an answer stay open. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [name, question] of this.#open) {
      const response = responses[name]
      if (isRecord(response)) question.answer(response)
    }
  }

  /**
   * Resolves when there is something to ask, or the result.
   * @param signal of the request that waits for it; aborting ends the call at the server too
   * @throws what the call ended with
   */
  async turn(signal: AbortSignal, progress: RequestOptions['onProgress']): Promise<Turn> {
    this.#progress = progress
    const onAbort = (): void => this.cancel(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (this.#open.size > 0) resolve()
    try {
      return await Promise.race([this.#ended, asked.then(() => this.#questions())])
    } finally {
      this.#wake = undefined
      this.#progress = undefined
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends it at the server. */
  cancel(reason: unknown): void {
    this.#controller.abort(reason)
  }

  #questions(): Turn {
    return { questions: Object.fromEntries(Array.from(this.#open, ([name, { request }]) => [name, request])) }
  }

  #progressed(progress: JsonObject): void {
    if (this.#open.size === 0) this.#arm()
    this.#progress?.(progress)
  }

  #arm(): void {
    const { method, timeoutMs, timers } = this.#options
    this.#disarm?.()
    this.#disarm = timers.later(timeoutMs, () => this.cancel(new LinkTimeout(method, timeoutMs)))
  }

  #refuseAll(): void {
    for (const question of this.#open.values()) question.refuse(noAnswer())
  }
}
