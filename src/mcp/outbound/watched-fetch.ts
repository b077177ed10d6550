// The SDK's transport does not say when the stream that was to carry an answer ends without it; the request would wait for its
// deadline. This fetch says so.

/** Told when the event stream of a POST ended: which request it was for, and whether it can be resumed by its event ids. */
export type StreamEnded = (requestId: number | string, resumable: boolean) => void

const EVENT_ID = /^id:/m

export function watchedFetch(ended: StreamEnded, inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (init?.method === 'POST' && NO_ANSWER.has(response.status)) unanswered(init.body, ended)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (init?.method !== 'POST' || !isStream || response.body === null) return response
    const id = requestIdOf(init.body)
    if (id === undefined) return response
    const body = watched(response.body, (resumable) => ended(id, resumable))
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

/** Said to a notification; said to a request, it means that no answer will come. */
const NO_ANSWER = new Set([202, 204])

function unanswered(body: unknown, ended: StreamEnded): void {
  const id = requestIdOf(body)
  if (id !== undefined) ended(id, false)
}

function requestIdOf(body: unknown): number | string | undefined {
  if (typeof body !== 'string') return undefined
  const message: unknown = JSON.parse(body)
  // An answer of ours to a question of the server has an id too: one of the server's.
  const isRequest = typeof message === 'object' && message !== null && 'id' in message && 'method' in message
  const id = isRequest ? message.id : undefined
  return typeof id === 'number' || typeof id === 'string' ? id : undefined
}

function watched(body: ReadableStream<Uint8Array>, ended: (resumable: boolean) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let resumable = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (done) {
          controller.close()
          ended(resumable)
          return
        }
        // The priming event comes first and alone (2025-11-25, Streamable HTTP).
        if (!resumable) resumable = EVENT_ID.test(Buffer.from(value).toString('latin1'))
        controller.enqueue(value)
      } catch (error) {
        controller.error(error)
        ended(resumable)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
