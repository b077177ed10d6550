// The search worker: a thread with a read-only connection of its own, so that a long search never holds up a request.
// It is an entry of its own in the production bundle.

import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../db/reader.ts'
import { createAnswers } from './answers.ts'
import type { Request, Response, Warning, WorkerStart } from './protocol.ts'

function serve(port: NonNullable<typeof parentPort>, start: WorkerStart): void {
  const sqlite = openReader(start.path)
  const answers = createAnswers(sqlite, start.indexes, (message, detail) => {
    const warning: Warning = { warning: message, detail: detail instanceof Error ? detail.message : String(detail) }
    port.postMessage(warning)
  })
  const reply = async (request: Request): Promise<Response> => {
    try {
      return { seq: request.seq, ok: true, answer: await answers.answer(request.index, request.kind, request.ask) }
    } catch (error) {
      return { seq: request.seq, ok: false, message: error instanceof Error ? error.message : String(error) }
    }
  }
  port.on('message', (request: Request) => {
    void reply(request).then((response) => port.postMessage(response))
  })
}

// Imported outside a worker thread (by a test that imports every file), there is no port and nothing starts.
if (parentPort !== null) serve(parentPort, workerData)
