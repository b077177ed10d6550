// Asks the search worker: starts it on first use, bounds what waits, restarts it when it dies, ends it on close.

import { Worker } from 'node:worker_threads'
import { GatewayError } from '../errors.ts'
import type { Answers } from './answers.ts'
import type { Kind, Questions, Request, Response, WorkerStart } from './protocol.ts'

/** Questions that wait at most, the one being answered included. */
const WAITING_MAX = 256
/** How often a question is asked of a new worker when the one it was put to died. */
const ASKED_MAX = 2

export interface WorkerAnswers extends Answers {
  close(): Promise<void>
}

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

/**
 * A client of one worker thread. The thread does not keep the process alive.
 * @param warn told when the worker died; the questions it had are asked once more
 */
export function createWorkerAnswers(
  start: WorkerStart,
  url: URL,
  warn: (message: string, detail: unknown) => void,
): WorkerAnswers {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let seq = 0
  let closed = false

  function settle(response: Response): void {
    const one = waiting.get(response.seq)
    waiting.delete(response.seq)
    if (waiting.size === 0) worker?.unref()
    if (response.ok) one?.resolve(response.answer)
    else one?.reject(new Error(response.message))
  }

  function lost(dead: Worker, cause: unknown): void {
    if (worker !== dead) return
    worker = undefined
    if (closed) return
    warn('the search worker ended and is started again', cause)
    for (const one of waiting.values()) {
      if (one.asked >= ASKED_MAX) {
        waiting.delete(one.request.seq)
        one.reject(new GatewayError('unavailable', 'SEARCH_FAILED', 'The search could not be finished.', { cause }))
      } else {
        put(one)
      }
    }
  }

  function running(): Worker {
    if (worker !== undefined) return worker
    const made = new Worker(url, { workerData: start, name: 'search' })
    made.on('message', settle)
    made.on('error', (error) => lost(made, error))
    made.on('exit', (code) => lost(made, `exit ${code}`))
    worker = made
    return made
  }

  function put(one: Waiting): void {
    one.asked++
    const thread = running()
    // While somebody waits for an answer, the process must not end under them.
    thread.ref()
    thread.postMessage(one.request)
  }

  return {
    async answer<K extends Kind>(index: string, kind: K, question: Questions[K]['ask']) {
      if (closed) throw new GatewayError('unavailable', 'SEARCH_CLOSED', 'The gateway is shutting down.')
      if (waiting.size >= WAITING_MAX) throw busy()
      const request: Request = { seq: ++seq, index, kind, ask: question }
      return new Promise<Questions[K]['answer']>((resolve, reject) => {
        const one: Waiting = { request, resolve, reject, asked: 0 }
        waiting.set(request.seq, one)
        put(one)
      })
    },
    async close() {
      closed = true
      for (const one of waiting.values()) {
        one.reject(new GatewayError('unavailable', 'SEARCH_CLOSED', 'The gateway is shutting down.'))
      }
      waiting.clear()
      await worker?.terminate()
      worker = undefined
    },
  }
}
