// Asks an embeddings endpoint for vectors: OpenAI-compatible or Ollama, with a deadline and one retry.

import { RemoteError } from '../errors.ts'

/** Where embeddings come from: any OpenAI-compatible `POST {url}/embeddings`, or Ollama's `POST {url}/api/embed`. */
export interface EmbeddingsConfig {
  readonly provider: 'openai' | 'ollama'
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
  readonly timeoutMs: number
}

export interface EmbeddingsClient {
  /** One vector per text, in order. @throws RemoteError EMBEDDINGS_FAILED; of kind `invalid` when asking again would not help */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/** Characters of one text that are sent; models cut sooner or later than this anyway. */
const TEXT_CHARS_MAX = 8000
/** Bytes of an answer that are read. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
const TRIES = 2

function failed(reason: string, cause?: unknown): RemoteError {
  return new RemoteError('unavailable', 'EMBEDDINGS_FAILED', `The embeddings service failed: ${reason}.`, { cause })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function toVector(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.length === 0) throw failed('an embedding is missing')
  const vector = Float32Array.from(value, (one: unknown) => (typeof one === 'number' ? one : Number.NaN))
  if (!vector.every(Number.isFinite)) throw failed('an embedding is not made of numbers')
  return vector
}

/** `{data: [{index, embedding}]}` in any order, or `{embeddings: [[…]]}`. */
function vectorsOf(provider: EmbeddingsConfig['provider'], answer: unknown, count: number): Float32Array[] {
  const body = isRecord(answer) ? answer : {}
  const list: unknown = provider === 'openai' ? body['data'] : body['embeddings']
  if (!Array.isArray(list) || list.length !== count) throw failed('it did not answer with one embedding per text')
  if (provider === 'ollama') return list.map(toVector)
  const byPlace = new Map<number, Float32Array>()
  list.forEach((item: unknown, at) => {
    const entry = isRecord(item) ? item : {}
    byPlace.set(typeof entry['index'] === 'number' ? entry['index'] : at, toVector(entry['embedding']))
  })
  return Array.from({ length: count }, (_, at) => byPlace.get(at) ?? toVector(undefined))
}

async function readBounded(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw failed('its answer is too large')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** Server errors and lost connections may pass; a refused request will not get better. */
class Refused extends RemoteError {}

export function createEmbeddingsClient(config: EmbeddingsConfig): EmbeddingsClient {
  const base = config.url.replace(/\/+$/, '')
  const url = config.provider === 'openai' ? `${base}/embeddings` : `${base}/api/embed`
  const headers = {
    'content-type': 'application/json',
    ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
  }

  async function once(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const deadline = AbortSignal.timeout(config.timeoutMs)
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: config.model, input: texts }),
      redirect: 'error',
      signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
    })
    if (!response.ok) {
      await response.body?.cancel()
      const reason = `it answered ${response.status}`
      if (response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429) {
        throw new Refused('invalid', 'EMBEDDINGS_FAILED', `The embeddings service failed: ${reason}.`)
      }
      throw failed(reason)
    }
    return vectorsOf(config.provider, await readBounded(response), texts.length)
  }

  return {
    async embed(texts, signal) {
      const cut = texts.map((text) =>
        (text.length > TEXT_CHARS_MAX ? text.slice(0, TEXT_CHARS_MAX) : text).toWellFormed(),
      )
      let last: unknown
      for (let tried = 0; tried < TRIES; tried++) {
        try {
          return await once(cut, signal)
        } catch (error) {
          last = error
          if (signal?.aborted === true || error instanceof Refused) break
        }
      }
      if (last instanceof RemoteError) throw last
      const late = last instanceof Error && last.name === 'TimeoutError'
      throw failed(late ? `no answer within ${config.timeoutMs} ms` : 'it cannot be reached', last)
    },
  }
}
