// The optional semantic leg: embeds rows in the background, a batch at a time, and never fails or delays a write.

import { createEmbeddingsClient } from './embeddings-client.ts'
import type { EmbeddingsConfig } from './embeddings-client.ts'
import type { WritableDatabase } from './check-index.ts'
import type { IndexSpec } from './spec.ts'

/** Rows per request to the endpoint. */
const BATCH = 32
/** Rows that wait to be embedded; more are left to the next regeneration. */
const QUEUED_MAX = 20_000
/** After a failure the background rests; queries go on trying. */
const REST_MS = 15_000

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
  /** Resolves when nothing is queued or being embedded. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface SemanticOptions {
  readonly db: WritableDatabase
  readonly spec: IndexSpec
  readonly config: EmbeddingsConfig
  readonly now: () => number
  readonly warn?: (message: string, detail: unknown) => void
}

interface Text {
  readonly id: number
  readonly body: string
}

/**
 * The semantic leg of one index.
 * @param options.now epoch milliseconds, for `created_at`
 * @throws Error when the index keeps no vectors
 */
export function createSemanticLeg(options: SemanticOptions): SemanticLeg {
  const { db, spec, config } = options
  const { model } = config
  const client = createEmbeddingsClient(config)
  const { vectors } = spec
  if (vectors === undefined) throw new Error(`the index ${spec.name} keeps no vectors`)
  const read = db.sqlite.prepare<[string], Text>(
    `SELECT r.id, ${spec.body} AS body FROM json_each(?) j CROSS JOIN ${spec.table} r ON r.id = j.value WHERE ${spec.live}`,
  )
  // A row that changed or went while its text was away keeps no vector of the old text.
  const write = db.sqlite.prepare<[number, string, number, Uint8Array, number, number, string]>(
    `INSERT INTO ${vectors.table} (${vectors.key}, model, dim, vector, created_at)
     SELECT ?, ?, ?, ?, ? FROM ${spec.table} r WHERE r.id = ? AND ${spec.live} AND ${spec.body} = ?
     ON CONFLICT (${vectors.key}) DO UPDATE SET model = excluded.model, dim = excluded.dim, vector = excluded.vector, created_at = excluded.created_at`,
  )
  const queue = new Set<number>()
  const ending = new AbortController()
  let running: Promise<void> | undefined
  let failing = false

  async function embedBatch(ids: readonly number[], signal: AbortSignal): Promise<number> {
    const texts = read.all(JSON.stringify(ids))
    if (texts.length === 0) return 0
    const found = await client.embed(
      texts.map((text) => text.body),
      signal,
    )
    await db.write(() => {
      texts.forEach(({ id, body }, at) => {
        const vector = found[at]
        if (vector === undefined) return
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
        write.run(id, model, vector.length, bytes, options.now(), id, body)
      })
    })
    return texts.length
  }

  function noteFailure(error: unknown): void {
    if (!failing) options.warn?.('rows are not embedded: the embeddings service fails', error)
    failing = true
  }

  async function drain(): Promise<void> {
    while (queue.size > 0 && !ending.signal.aborted) {
      const ids = [...queue].slice(0, BATCH)
      for (const id of ids) queue.delete(id)
      try {
        await embedBatch(ids, ending.signal)
        failing = false
      } catch (error) {
        if (ending.signal.aborted) return
        noteFailure(error)
        for (const id of ids) queue.add(id)
        await rest(ending.signal)
      }
    }
  }

  /** Starts the background unless it runs; it ends when nothing is queued. */
  async function run(): Promise<void> {
    running ??= drain().finally(() => {
      running = undefined
    })
    await running
  }

  return {
    model,
    enqueue(ids) {
      for (const id of ids) if (queue.size < QUEUED_MAX) queue.add(id)
      void run()
    },
    async embed(ids, signal, progress) {
      const stop = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal])
      let embedded = 0
      let failed = 0
      let reason: string | undefined
      for (let at = 0; at < ids.length && !stop.aborted; at += BATCH) {
        const some = ids.slice(at, at + BATCH)
        try {
          embedded += await embedBatch(some, stop)
        } catch (error) {
          failed += some.length
          reason = error instanceof Error ? error.message : String(error)
        }
        progress?.(Math.min(at + BATCH, ids.length), ids.length)
      }
      return { total: ids.length, embedded, failed, ...(reason === undefined ? {} : { reason }) }
    },
    async embedQuery(text) {
      try {
        const [vector] = await client.embed([text], ending.signal)
        return vector
      } catch (error) {
        noteFailure(error)
        return undefined
      }
    },
    idle: run,
    async close() {
      ending.abort()
      await running
    },
  }
}

/** Waits, without keeping the process alive, until the rest is over or the gateway ends. */
async function rest(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, REST_MS)
    timer.unref()
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
