// Asks the search worker: starts it on first use, bounds what waits, restarts it when it dies, ends it on close.

import { Worker } from 'node:worker_threads'
import { GatewayError } from '../errors.ts'
import type { Answers } from './answers.ts'
import type { Kind, Questions, Request, Response, Warning, WorkerStart } from './protocol.ts'

/** Questions that wait at most, the one being answered included. */
const WAITING_MAX = 256
/** How often a question is asked of a new worker when the one it was put to died. */
const ASKED_MAX = 2

interface Waiting {
  readonly request: Request
  /** A method, so that each question keeps the type of its own answer. */
  resolve(answer: unknown): void
  reject(error: Error): void
  asked: number
}

/** The worker's file: beside this one, as a source or as an entry of the bundle. */
export function defaultWorkerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './search-worker.js', import.meta.url)
}

function busy(): GatewayError {
  return new GatewayError('unavailable', 'SEARCH_BUSY', `More than ${WAITING_MAX} searches are waiting.`, {
    hint: 'Try again in a moment.',
    retryAfterMs: 1000,
  })
}

function failed(cause: unknown): GatewayError {
  return new GatewayError('unavailable', 'SEARCH_FAILED', 'The search could not be finished.', { cause })
}

function shuttingDown(): GatewayError {
  return new GatewayError('unavailable', 'SEARCH_CLOSED', 'The gateway is shutting down.')
}

export interface WorkerOptions {
  readonly start: WorkerStart
  readonly url: URL
  /** Told when the worker died; the questions it had are asked once more. */
  readonly warn: (message: string, detail: unknown) => void
}

/** A client of one worker thread. The thread does not keep the process alive, unless somebody waits for an answer. */
export class WorkerAnswers implements Answers {
  readonly #options: WorkerOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #seq = 0
  #closed = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** @throws GatewayError SEARCH_BUSY, SEARCH_FAILED, SEARCH_CLOSED */
  async answer<K extends Kind>(index: string, kind: K, ask: Questions[K]['ask']): Promise<Questions[K]['answer']> {
    if (this.#closed) throw shuttingDown()
    if (this.#waiting.size >= WAITING_MAX) throw busy()
    const request: Request = { seq: ++this.#seq, index, kind, ask }
    return new Promise<Questions[K]['answer']>((resolve, reject) => {
      const one: Waiting = { request, resolve, reject, asked: 0 }
      this.#waiting.set(request.seq, one)
      this.#put(one)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const one of this.#waiting.values()) one.reject(shuttingDown())
    this.#waiting.clear()
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #put(one: Waiting): void {
    one.asked++
    this.#worker ??= this.#started()
    this.#worker.ref()
    this.#worker.postMessage(one.request)
  }

  #started(): Worker {
    const { start, url } = this.#options
    const worker = new Worker(url, { workerData: start, name: 'search' })
    worker.on('message', (message: Response | Warning) => {
      if ('warning' in message) this.#options.warn(message.warning, message.detail)
      else this.#settle(message)
    })
    worker.on('error', (error) => this.#lost(worker, error))
    worker.on('exit', (code) => this.#lost(worker, `exit ${code}`))
    return worker
  }

  #settle(response: Response): void {
    const one = this.#waiting.get(response.seq)
    this.#waiting.delete(response.seq)
    if (this.#waiting.size === 0) this.#worker?.unref()
    if (response.ok) one?.resolve(response.answer)
    else one?.reject(failed(response.message))
  }

  #lost(dead: Worker, cause: unknown): void {
    if (this.#worker !== dead) return
    this.#worker = undefined
    if (this.#closed) return
    this.#options.warn('the search worker ended; it is started again when needed', cause)
    for (const one of this.#waiting.values()) {
      if (one.asked < ASKED_MAX) {
        this.#put(one)
      } else {
        this.#waiting.delete(one.request.seq)
        one.reject(failed(cause))
      }
    }
  }
}
