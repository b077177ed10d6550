// The vocabulary of searching: what an index is made of, what a query asks and what comes back.
// Everything here is plain data, because it travels to the search worker by structured clone.

import type { Database as SqliteDatabase } from 'better-sqlite3'

/** The raw handle of an open database. Inside `db.write` it is the connection of that transaction. */
export type Sqlite = SqliteDatabase

/** One searchable text of a row. A word found in a field counts `weight` times a word found in a field of weight 1. */
export interface FieldSpec {
  readonly name: string
  readonly weight: number
}

/** One searchable table: which texts of it are indexed, and how its rows are read again when the index is rebuilt. */
export interface IndexSpec {
  /** Prefix of the index's own tables: `memory` → `memory_fts`, `memory_terms`, `memory_docs`, `memory_index_state`. */
  readonly name: string
  readonly fields: readonly FieldSpec[]
  /** The field whose equal, non-empty values make rows neighbours (one conversation, one session). */
  readonly group?: string
  /** The table of the rows. Filters see it under the alias `r`; its key column is `id`. */
  readonly table: string
  /** Which rows are searchable at all, over alias `r`, for example `r.deleted_at IS NULL`. */
  readonly live: string
  /** One select expression per field over alias `r`, and for importance and time; used by rebuild and check. */
  readonly columns: Readonly<Record<string, string>> & { readonly importance: string; readonly at: string }
  /** The expression over alias `r` that near-duplicate detection compares. */
  readonly body: string
  /** Where embeddings of the rows are kept: columns `model`, `dim`, `vector`, `created_at` and this key. */
  readonly vectors?: { readonly table: string; readonly key: string }
}

/** What the index is given for one row. Missing and null fields are empty. */
export interface IndexedRow {
  readonly fields: Readonly<Record<string, string | null | undefined>>
  /** 1-10; equal scores are ordered by it first. */
  readonly importance: number
  /** Epoch milliseconds; equal scores and importance are ordered newest first. */
  readonly at: number
}

/** Told what is wrong on the way to an answer that comes all the same. */
export type Warn = (message: string, detail: unknown) => void

export type SqlValue = string | number | bigint | null

/** A condition over alias `r`, applied before any cut. Written by the room, never by a user: values go into `params`. */
export interface RowFilter {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

export interface SearchQuery {
  /** User text, any characters. It is never read as query syntax. */
  readonly text: string
  readonly filters?: readonly RowFilter[]
  /** 1-100; default 10. */
  readonly limit?: number
  /** The `next` of an earlier page of the same query. */
  readonly cursor?: string
  /** `lexical` leaves the semantic leg out even when one is configured; default `hybrid`. */
  readonly legs?: 'lexical' | 'hybrid'
}

export interface SearchHit {
  readonly id: number
  /** Comparable within one page only; higher is better. */
  readonly score: number
}

export interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** How many rows the pages hold together. */
  readonly total: number
  /** Whether `total` is how many rows match; else there may be more, which no page shows. */
  readonly complete: boolean
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string
  /** Which legs answered. `substring` means that no whole word matched and parts of words were tried. */
  readonly legs: readonly ('words' | 'substring' | 'semantic')[]
  /** One sentence when a configured leg could not answer. In every such page: nobody knows who has read it in another. */
  readonly notice?: string
}

export interface DuplicateQuery {
  readonly text: string
  readonly filters?: readonly RowFilter[]
  /** Default 3. */
  readonly limit?: number
  /** Jaccard similarity of word 3-shingles, 0-1; default 0.8. */
  readonly threshold?: number
  /** A row that is not its own duplicate. */
  readonly exceptId?: number
}

export interface NearDuplicate {
  readonly id: number
  /** 0.8-1, two decimals. */
  readonly similarity: number
}

/** Rows that are ranked at most per query; deeper pages do not exist. */
export const RANKED_MAX = 300
