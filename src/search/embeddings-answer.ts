// Reads what an embeddings endpoint answered, and says exactly what is wrong with it when it is not one vector per text.

import { RemoteError } from '../errors.ts'
import { isRecord } from '../lib/json.ts'

/** `openai`: `{data: [{index, embedding}]}` in any order; `ollama`: `{embeddings: [[…]]}`. */
export type EmbeddingsProvider = 'openai' | 'ollama'

/** Bytes of an answer that are read. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/** Server errors, odd answers and lost connections may pass: asking again can help. */
export function embeddingsFailed(reason: string, cause?: unknown): RemoteError {
  return new RemoteError('unavailable', 'EMBEDDINGS_FAILED', `The embeddings service failed: ${reason}.`, { cause })
}

/** A request that was refused will not get better by asking again. */
export class EmbeddingsRefused extends RemoteError {
  constructor(reason: string) {
    super('invalid', 'EMBEDDINGS_FAILED', `The embeddings service failed: ${reason}.`)
  }
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [400, 'it does not accept the request, perhaps not the model'],
  [401, 'it does not accept the API key, or wants one'],
  [403, 'the API key may not use it'],
  [404, 'there is no such address, or no such model'],
  [408, 'it gave up waiting'],
  [413, 'the text is too long for it'],
  [429, 'too many requests, or the quota is used up'],
])
/** Statuses below 500 that may pass. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429])

/** What a status other than 2xx means. */
export function failureOf(status: number): RemoteError {
  const meaning = status < 400 ? 'it sends elsewhere, and redirects are not followed' : MEANINGS.get(status)
  const reason = `it answered ${status}${meaning === undefined ? '' : ` (${meaning})`}`
  return status < 500 && !PASSING.has(status) ? new EmbeddingsRefused(reason) : embeddingsFailed(reason)
}

function toVector(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.length === 0) {
    throw embeddingsFailed('it answered with JSON of another shape: an embedding is missing')
  }
  const vector = Float32Array.from(value, (one: unknown) => (typeof one === 'number' ? one : Number.NaN))
  if (!vector.every(Number.isFinite)) {
    throw embeddingsFailed('it answered with JSON of another shape: an embedding is not made of numbers')
  }
  return vector
}

function inOrder(list: readonly unknown[]): Float32Array[] {
  const byPlace = new Map<number, Float32Array>()
  list.forEach((item, at) => {
    const entry = isRecord(item) ? item : {}
    byPlace.set(typeof entry['index'] === 'number' ? entry['index'] : at, toVector(entry['embedding']))
  })
  return list.map((_, at) => byPlace.get(at) ?? toVector(undefined))
}

/**
 * One vector per text, in the order of the texts, all of one size.
 * @param count how many texts were sent
 * @throws RemoteError EMBEDDINGS_FAILED
 */
export function vectorsOf(provider: EmbeddingsProvider, answer: unknown, count: number): Float32Array[] {
  const key = provider === 'openai' ? 'data' : 'embeddings'
  const list = isRecord(answer) ? answer[key] : undefined
  if (!Array.isArray(list)) throw embeddingsFailed(`it answered with JSON of another shape: there is no list "${key}"`)
  if (list.length !== count) {
    const made = `${list.length} embedding${list.length === 1 ? '' : 's'}`
    throw embeddingsFailed(`it answered with ${made} for ${count} text${count === 1 ? '' : 's'}`)
  }
  const vectors = provider === 'openai' ? inOrder(list) : list.map(toVector)
  if (vectors.some((vector) => vector.length !== vectors[0]?.length)) {
    throw embeddingsFailed('it answered with embeddings of different sizes')
  }
  return vectors
}

/** The answer's JSON. @throws RemoteError EMBEDDINGS_FAILED when it is too large or not JSON; what the connection throws */
export async function readAnswer(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw embeddingsFailed('its answer is too large')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw embeddingsFailed(`it answered ${response.status}, but not with JSON`, cause)
  }
}
