// The optional semantic leg: embeds rows in the background, a batch at a time, and never fails or delays a write.

import { setTimeout } from 'node:timers/promises'
import type { Statement } from 'better-sqlite3'
import { GatewayError } from '../errors.ts'
import { createEmbeddingsClient } from './embeddings-client.ts'
import type { EmbeddingsClient, EmbeddingsConfig } from './embeddings-client.ts'
import type { WritableDatabase } from './check-index.ts'
import type { IndexSpec } from './spec.ts'

/** Rows per request to the endpoint. */
const BATCH = 32
/** Rows that wait to be embedded; more are left to the next regeneration. */
const QUEUED_MAX = 20_000
/** After a failure the background rests, and queries go by words without asking. */
const REST_MS = 15_000
/** How long a person's search waits for the meaning of the query, whatever the endpoint's own deadline is. */
const QUERY_WAIT_MS = 1500

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
  /** Embeds these rows now, replacing what is there. Reports a failing endpoint, does not throw for it. */
  embed(
    ids: readonly number[],
    signal?: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<EmbedReport>
  /** The query's vector, or undefined when the endpoint fails. */
  embedQuery(text: string): Promise<Float32Array | undefined>
  /** What the endpoint failed by last, in one sentence; undefined while it answers as it should. */
  failure(): string | undefined
  /** Queues the rows that have no vector of this model: what an ended process left, or what another model embedded. */
  catchUp(): void
  /** Resolves when nothing is queued or being embedded. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface SemanticOptions {
  readonly db: WritableDatabase
  readonly spec: IndexSpec
  readonly config: EmbeddingsConfig
  readonly now: () => number
  /** How long queries go by words after a failure, in milliseconds. */
  readonly restMs?: number
  readonly warn?: (message: string, detail: unknown) => void
}

interface Text {
  readonly id: number
  readonly body: string
}

/** Embeds rows of one index: reads their text, asks for vectors, writes those that still fit. */
class Embedder {
  readonly #options: SemanticOptions
  readonly #client: EmbeddingsClient
  readonly #read: Statement<[string], Text>
  readonly #missing: Statement<[string, number], number>
  readonly #otherSized: Statement<[string, number, number], number>
  readonly #write: Statement<[number, string, number, Uint8Array, number, number, string]>
  readonly #onNewSize: () => void
  /** Sizes of vectors that the model has answered with, the last one last. */
  readonly #sizes = new Set<number>()

  /** @param onNewSize called when the model first answers with vectors of a size */
  constructor(options: SemanticOptions, onNewSize: () => void) {
    const { db, spec } = options
    const { vectors } = spec
    if (vectors === undefined) throw new Error(`the index ${spec.name} keeps no vectors`)
    this.#options = options
    this.#onNewSize = onNewSize
    this.#client = createEmbeddingsClient(options.config)
    this.#read = db.sqlite.prepare(
      `SELECT r.id, ${spec.body} AS body FROM json_each(?) j CROSS JOIN ${spec.table} r ON r.id = j.value WHERE ${spec.live}`,
    )
    this.#missing = db.sqlite
      .prepare<[string, number], number>(
        `SELECT r.id FROM ${spec.table} r WHERE ${spec.live} AND NOT EXISTS (
           SELECT 1 FROM ${vectors.table} v WHERE v.${vectors.key} = r.id AND v.model = ?) ORDER BY r.id DESC LIMIT ?`,
      )
      .pluck()
    this.#otherSized = db.sqlite
      .prepare<[string, number, number], number>(
        `SELECT r.id FROM ${vectors.table} v JOIN ${spec.table} r ON r.id = v.${vectors.key}
         WHERE v.model = ? AND v.dim <> ? AND ${spec.live} ORDER BY r.id DESC LIMIT ?`,
      )
      .pluck()
    // A row that changed or went while its text was away keeps no vector of the old text.
    this.#write = db.sqlite.prepare(
      `INSERT INTO ${vectors.table} (${vectors.key}, model, dim, vector, created_at)
       SELECT ?, ?, ?, ?, ? FROM ${spec.table} r WHERE r.id = ? AND ${spec.live} AND ${spec.body} = ?
       ON CONFLICT (${vectors.key}) DO UPDATE
       SET model = excluded.model, dim = excluded.dim, vector = excluded.vector, created_at = excluded.created_at`,
    )
  }

  /** The newest rows whose vectors have another size than the model answers with since it last changed. */
  otherSized(limit: number): number[] {
    const size = [...this.#sizes].at(-1)
    return size === undefined ? [] : this.#otherSized.all(this.#options.config.model, size, limit)
  }

  /** The newest rows without a vector of this model. */
  missing(limit: number): number[] {
    return this.#missing.all(this.#options.config.model, limit)
  }

  async query(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const [vector] = await this.#ask([text], signal)
    return vector
  }

  async #ask(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors = await this.#client.embed(texts, signal)
    const size = vectors[0]?.length
    // Once for each size, so that two models that take turns behind one name do not embed everything for ever.
    if (size !== undefined && !this.#sizes.has(size)) {
      this.#sizes.add(size)
      this.#onNewSize()
    }
    return vectors
  }

  /** Returns how many of the rows exist and were embedded. @throws RemoteError, GatewayError of the database */
  async rows(ids: readonly number[], signal: AbortSignal): Promise<number> {
    const { db, config, now } = this.#options
    const texts = this.#read.all(JSON.stringify(ids))
    if (texts.length === 0) return 0
    const bodies = texts.map((text) => text.body)
    const vectors = await this.#ask(bodies, signal)
    await db.write(() => {
      for (const [at, { id, body }] of texts.entries()) {
        const vector = vectors[at]
        if (vector === undefined) continue
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
        this.#write.run(id, config.model, vector.length, bytes, now(), id, body)
      }
    })
    return texts.length
  }
}

/** What waits to be embedded, and the one loop that does it. */
class EmbeddingQueue {
  readonly #embedder: Embedder
  readonly #signal: AbortSignal
  readonly #failed: (error: unknown) => void
  readonly #ids = new Set<number>()
  #running: Promise<void> | undefined

  constructor(embedder: Embedder, signal: AbortSignal, failed: (error: unknown) => void) {
    this.#embedder = embedder
    this.#signal = signal
    this.#failed = failed
  }

  add(ids: readonly number[]): void {
    for (const id of ids) if (this.#ids.size < QUEUED_MAX) this.#ids.add(id)
    void this.run()
  }

  /** Resolves when nothing waits. */
  async run(): Promise<void> {
    this.#running ??= this.#drain()
    await this.#running
  }

  async #drain(): Promise<void> {
    // The caller's turn ends first, so that what is queued together is sent together.
    await Promise.resolve()
    while (this.#ids.size > 0 && !this.#signal.aborted) {
      const ids = [...this.#ids].slice(0, BATCH)
      for (const id of ids) this.#ids.delete(id)
      await this.#embed(ids)
    }
    this.#running = undefined
  }

  async #embed(ids: readonly number[]): Promise<void> {
    try {
      await this.#embedder.rows(ids, this.#signal)
    } catch (error) {
      if (this.#signal.aborted) return
      this.#failed(error)
      // A refused text is refused again; it is left to the next regeneration.
      if (error instanceof GatewayError && error.kind === 'invalid') return
      for (const id of ids) this.#ids.add(id)
      await rest(this.#signal)
    }
  }
}

/** Waits, without keeping the process alive, until the rest is over or the gateway ends. */
async function rest(signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(REST_MS, undefined, { signal, ref: false })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * The semantic leg of one index.
 * @param options.now epoch milliseconds, for `created_at`
 * @throws Error when the index keeps no vectors
 */
export function createSemanticLeg(options: SemanticOptions): SemanticLeg {
  const ending = new AbortController()
  let failure: string | undefined
  let restsUntil = 0
  const note = (error: unknown): void => {
    if (failure === undefined) options.warn?.('the embeddings service fails; searches go by words only', error)
    failure = messageOf(error)
  }
  // A model may be replaced behind its name: what the old one embedded cannot be compared with what the new one does.
  let byHand = 0
  const replaceOld = (): void => {
    // What is being embedded by hand may be all there is.
    if (byHand === 0) queue.add(embedder.otherSized(QUEUED_MAX))
  }
  const embedder = new Embedder(options, replaceOld)
  const queue = new EmbeddingQueue(embedder, ending.signal, note)
  return {
    model: options.config.model,
    enqueue: (ids) => queue.add(ids),
    async embed(ids, signal = ending.signal, progress = () => undefined) {
      byHand++
      try {
        return await embedAll(embedder, ids, AbortSignal.any([signal, ending.signal]), progress)
      } finally {
        byHand--
        if (!ending.signal.aborted) replaceOld()
      }
    },
    async embedQuery(text) {
      if (performance.now() < restsUntil) return undefined
      try {
        const vector = await embedder.query(text, AbortSignal.any([ending.signal, AbortSignal.timeout(QUERY_WAIT_MS)]))
        failure = undefined
        return vector
      } catch (error) {
        note(error)
        restsUntil = performance.now() + (options.restMs ?? REST_MS)
        return undefined
      }
    },
    failure: () => failure,
    catchUp: () => queue.add(embedder.missing(QUEUED_MAX)),
    idle: () => queue.run(),
    async close() {
      ending.abort()
      await queue.run()
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function embedAll(
  embedder: Embedder,
  ids: readonly number[],
  signal: AbortSignal,
  progress: (done: number, total: number) => void,
): Promise<EmbedReport> {
  let embedded = 0
  let failed = 0
  let reason: string | undefined
  for (let at = 0; at < ids.length; at += BATCH) {
    if (signal.aborted) break
    const some = ids.slice(at, at + BATCH)
    try {
      embedded += await embedder.rows(some, signal)
    } catch (error) {
      failed += some.length
      reason = messageOf(error)
    }
    progress(Math.min(at + BATCH, ids.length), ids.length)
  }
  return { total: ids.length, embedded, failed, ...(reason === undefined ? {} : { reason }) }
}
