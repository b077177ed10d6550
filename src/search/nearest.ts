// Finds the rows whose embeddings point the same way as a query's: cosine similarity, filters before the cut, and a cut-off
// below which a row is not near at all.

import type { Statement } from 'better-sqlite3'
import { conditionOf } from './candidates.ts'
import type { IndexSpec, RowFilter, Sqlite, SqlValue, Warn } from './spec.ts'

export interface NearestQuery {
  readonly model: string
  readonly vector: Float32Array
  readonly filters: readonly RowFilter[]
  readonly limit: number
}

export interface NearestRow {
  readonly id: number
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number
}

export interface NearestFinder {
  /** Rows that are near, most similar first; none when the query has to do with no row. */
  find(query: NearestQuery): NearestRow[]
}

/** Below this, texts have nothing to do with each other in any model. */
const SIMILARITY_MIN = 0.25
/** Rows that tell how similar any text is to this query: the newest. */
const SAMPLE_MAX = 256
/** Fewer rows tell nothing. */
const SAMPLE_MIN = 8
/**
 * A near row stands out from the sample's middle by this share of what is left up to 1. In some models unrelated texts are as
 * similar as 0.7 or more, so no fixed number separates what is near from what is not.
 */
const STANDING_OUT = 0.2
/** So many of the most similar rows need not stand out: all memories may be about what is asked. */
const NEED_NOT_STAND_OUT = 5

/** The package or its part for this platform is not installed, or SQLite cannot open that part (another C library, no permission). */
const NO_EXTENSION_CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'SQLITE_ERROR'])
/** What the package says, without a code, where it has no build at all. */
const NO_BUILD = /^Unsupported platform /

/** Whether a failure to load only means that there is no extension for this platform. */
function isExtensionMissing(error: unknown): boolean {
  return (
    error instanceof Error && (NO_BUILD.test(error.message) || ('code' in error && NO_EXTENSION_CODES.has(error.code)))
  )
}

/**
 * Loads sqlite-vec into a connection; false, with a warning, when this platform has none. It is 3 times faster than the loop
 * below, not needed. Any other failure is thrown.
 * @param load brings it into the connection; default: the package's own
 */
export async function loadVectorExtension(sqlite: Sqlite, warn: Warn, load = loadPackage): Promise<boolean> {
  try {
    await load(sqlite)
    return true
  } catch (error) {
    if (!isExtensionMissing(error)) throw error
    warn('sqlite-vec cannot be loaded; vectors are compared in JavaScript, which is slower', error)
    return false
  }
}

async function loadPackage(sqlite: Sqlite): Promise<void> {
  const { load } = await import('sqlite-vec')
  load(sqlite)
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Copies, because a blob's bytes need not stand on a four-byte boundary. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const copy = bytes.slice()
  return new Float32Array(copy.buffer, 0, Math.floor(copy.byteLength / 4))
}

/** Cosine similarity; 0 when either vector has no length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let lengthA = 0
  let lengthB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    dot += x * y
    lengthA += x * x
    lengthB += y * y
  }
  const product = Math.sqrt(lengthA) * Math.sqrt(lengthB)
  return product === 0 ? 0 : dot / product
}

/** What a row that stands out has at least, for a query that is this similar to a sample of rows. */
function standingOut(sample: readonly number[]): number {
  if (sample.length < SAMPLE_MIN) return SIMILARITY_MIN
  const middle = sample.toSorted((a, b) => a - b)[Math.floor(sample.length / 2)] ?? 0
  return Math.max(SIMILARITY_MIN, middle + STANDING_OUT * (1 - middle))
}

/** Only vectors of the query's model and size are compared: behind one name there may have been several models. */
const COMPARABLE = 'e.model = ? AND e.dim = ?'

/** @param extension whether sqlite-vec is loaded into this connection */
export function createNearestFinder(sqlite: Sqlite, spec: IndexSpec, extension: boolean): NearestFinder {
  const { vectors } = spec
  if (vectors === undefined) return { find: () => [] }
  const { table, key } = vectors
  const rows = `FROM ${table} e JOIN ${spec.table} r ON r.id = e.${key} WHERE ${COMPARABLE}`
  let sampling: Statement<[string, number, number], Uint8Array> | undefined

  function sampled({ model, vector }: NearestQuery): number[] {
    sampling ??= sqlite
      .prepare<[string, number, number], Uint8Array>(
        `SELECT e.vector ${rows} AND (${spec.live}) ORDER BY e.${key} DESC LIMIT ?`,
      )
      .pluck()
    return sampling.all(model, vector.length, SAMPLE_MAX).map((bytes) => cosine(vector, vectorOf(bytes)))
  }
  function inDatabase({ model, vector, limit }: NearestQuery, sql: string, params: SqlValue[]): NearestRow[] {
    return sqlite
      .prepare<unknown[], NearestRow>(
        `SELECT r.id, coalesce(1 - vec_distance_cosine(e.vector, ?), 0) AS similarity ${rows} AND ${sql}
         ORDER BY similarity DESC, r.id DESC LIMIT ?`,
      )
      .all(bytesOf(vector), model, vector.length, ...params, limit)
  }
  function inLoop({ model, vector, limit }: NearestQuery, sql: string, params: SqlValue[]): NearestRow[] {
    const all = sqlite.prepare<unknown[], { id: number; vector: Uint8Array }>(
      `SELECT r.id, e.vector ${rows} AND ${sql}`,
    )
    const found: NearestRow[] = []
    for (const row of all.iterate(model, vector.length, ...params)) {
      found.push({ id: row.id, similarity: cosine(vector, vectorOf(row.vector)) })
    }
    return found.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, limit)
  }
  return {
    find(query) {
      const { sql, params } = conditionOf(spec, query.filters)
      const nearest = (extension ? inDatabase : inLoop)(query, sql, params)
      const least = standingOut(sampled(query))
      return nearest.filter(
        ({ similarity }, place) => similarity >= (place < NEED_NOT_STAND_OUT ? SIMILARITY_MIN : least),
      )
    },
  }
}
