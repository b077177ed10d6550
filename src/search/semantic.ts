// The optional semantic leg: embeds rows in the background through an endpoint the operator names, and finds rows by meaning.

/** Where embeddings come from: any OpenAI-compatible `POST {url}/embeddings`, or Ollama's `POST {url}/api/embed`. */
export interface EmbeddingsConfig {
  readonly provider: 'openai' | 'ollama'
  readonly url: string
  readonly model: string
  readonly apiKey?: string
  readonly timeoutMs: number
}

export interface EmbedReport {
  readonly total: number
  readonly embedded: number
  readonly failed: number
  /** The last failure in one sentence; absent when all went well. */
  readonly reason?: string
}

export interface SemanticLeg {
  readonly model: string
  /** Queues rows for embedding; returns at once, never throws. Call it after the write was committed. */
  enqueue(ids: readonly number[]): void
  /** Embeds these rows now, replacing what is there. Reports, does not throw for a failing endpoint. */
  embed(ids: readonly number[], signal?: AbortSignal, progress?: (done: number, total: number) => void): Promise<EmbedReport>
  /** The query's vector, or undefined with a reason when the endpoint fails. */
  embedQuery(text: string): Promise<Float32Array | undefined>
  close(): Promise<void>
}
