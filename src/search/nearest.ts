// Finds the rows whose embeddings point the same way as a query's: cosine similarity, filters before the cut.

import { conditionOf } from './candidates.ts'
import type { IndexSpec, RowFilter, Sqlite, SqlValue } from './spec.ts'

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
  find(query: NearestQuery): NearestRow[]
}

/** Loads sqlite-vec into a connection; false when this platform has none. It is 3 times faster than the loop below, not needed. */
export async function loadVectorExtension(sqlite: Sqlite): Promise<boolean> {
  try {
    const { load } = await import('sqlite-vec')
    load(sqlite)
    return true
  } catch (error) {
    // Any failure means the same: this platform has no build of the extension, and the loop in JavaScript answers instead.
    return error === undefined
  }
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

/** @param extension whether sqlite-vec is loaded into this connection */
export function createNearestFinder(sqlite: Sqlite, spec: IndexSpec, extension: boolean): NearestFinder {
  const { vectors } = spec
  if (vectors === undefined) return { find: () => [] }
  const from = (filters: readonly RowFilter[]): { sql: string; params: SqlValue[] } => {
    const { sql, params } = conditionOf(spec, filters)
    return {
      sql: `FROM ${vectors.table} e JOIN ${spec.table} r ON r.id = e.${vectors.key} WHERE e.model = ? AND e.dim = ? AND ${sql}`,
      params,
    }
  }
  function inDatabase({ model, vector, filters, limit }: NearestQuery): NearestRow[] {
    const { sql, params } = from(filters)
    return sqlite
      .prepare<unknown[], NearestRow>(
        `SELECT r.id, 1 - vec_distance_cosine(e.vector, ?) AS similarity ${sql} ORDER BY similarity DESC, r.id DESC LIMIT ?`,
      )
      .all(bytesOf(vector), model, vector.length, ...params, limit)
  }
  function inLoop({ model, vector, filters, limit }: NearestQuery): NearestRow[] {
    const { sql, params } = from(filters)
    const rows = sqlite.prepare<unknown[], { id: number; vector: Uint8Array }>(`SELECT r.id, e.vector ${sql}`)
    const found: NearestRow[] = []
    for (const row of rows.iterate(model, vector.length, ...params)) {
      found.push({ id: row.id, similarity: cosine(vector, vectorOf(row.vector)) })
    }
    return found.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, limit)
  }
  return { find: extension ? inDatabase : inLoop }
}
