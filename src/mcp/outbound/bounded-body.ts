// The body of an answer that ends where it becomes too much: a server that never stops talking would fill the memory.

/** Of one message, whether it is a whole body or one event of a stream. */
export const MESSAGE_BYTES_MAX = 32 << 20

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The same answer. Its body fails once a message of it is longer than `bytesMax`. */
export function boundedBody(response: Response, bytesMax: number = MESSAGE_BYTES_MAX): Response {
  const { body, headers, status, statusText } = response
  if (body === null) return response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  let length = 0
  let isLineEmpty = false
  const bounded = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = isStream ? lastEventEnd(chunk, isLineEmpty) : -1
        length = end === -1 ? length + chunk.length : chunk.length - end
        isLineEmpty = isBreak(chunk.at(-1))
        if (length > bytesMax) controller.error(new TypeError(`the server sent more than ${bytesMax} bytes at once`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(bounded, { status, statusText, headers })
}

const isBreak = (byte: number | undefined): boolean => byte === LINE_FEED || byte === CARRIAGE_RETURN

/** Behind the last empty line of a chunk; -1 where it has none. A line may end with either character or both (HTML, 9.2.5). */
function lastEventEnd(chunk: Uint8Array, followsBreak: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (!isBreak(chunk[at])) continue
    const before = at === 0 ? (followsBreak ? LINE_FEED : undefined) : chunk[at - 1]
    const isPair = chunk[at] === LINE_FEED && before === CARRIAGE_RETURN
    if (isBreak(before) && !isPair) return at + 1
  }
  return -1
}
