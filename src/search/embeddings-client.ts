// Asks an embeddings endpoint for vectors: OpenAI-compatible or Ollama, with a deadline and one retry.

import { RemoteError } from '../errors.ts'
import { embeddingsFailed, EmbeddingsRefused, failureOf, readAnswer, vectorsOf } from './embeddings-answer.ts'
import type { EmbeddingsProvider } from './embeddings-answer.ts'

/** Where embeddings come from: any OpenAI-compatible `POST {url}/embeddings`, or Ollama's `POST {url}/api/embed`. */
export interface EmbeddingsConfig {
  readonly provider: EmbeddingsProvider
  readonly url: string
  readonly model: string
  readonly apiKey?: string | undefined
  readonly timeoutMs: number
}

export interface EmbeddingsClient {
  /**
   * One vector per text, in order, all of one size.
   * @throws RemoteError EMBEDDINGS_FAILED; of kind `invalid` when asking again would not help
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/** Characters of one text that are sent; models cut sooner or later than this anyway. */
const TEXT_CHARS_MAX = 8000
const TRIES = 2

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

export function createEmbeddingsClient(config: EmbeddingsConfig): EmbeddingsClient {
  const base = config.url.replace(/\/+$/, '')
  const url = config.provider === 'openai' ? `${base}/embeddings` : `${base}/api/embed`
  const headers = {
    'content-type': 'application/json',
    ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
  }

  /** Connects, and reads the whole answer. What the connection throws says where it stopped. */
  async function once(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const deadline = AbortSignal.timeout(config.timeoutMs)
    let status: number | undefined
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: config.model, input: texts }),
        redirect: 'manual',
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      })
      status = response.status
      if (response.ok) return vectorsOf(config.provider, await readAnswer(response), texts.length)
      await response.body?.cancel()
      throw failureOf(status)
    } catch (error) {
      if (error instanceof RemoteError || signal?.aborted === true) throw error
      if (isTimeout(error)) throw embeddingsFailed(`no answer within ${config.timeoutMs} ms`, error)
      throw embeddingsFailed(status === undefined ? 'it cannot be reached' : 'its answer broke off', error)
    }
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
          if (signal?.aborted === true || error instanceof EmbeddingsRefused) break
        }
      }
      if (last instanceof RemoteError) throw last
      throw embeddingsFailed(isTimeout(last) ? 'no answer in time' : 'the request was given up', last)
    },
  }
}
