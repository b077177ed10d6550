// What the search client and the search worker say to each other. Plain data only.

import type { DuplicateQuery, IndexSpec, NearDuplicate, RowFilter } from './spec.ts'
import type { Ranking } from './ranker.ts'
import type { NearestQuery, NearestRow } from './nearest.ts'

/** Given to the worker when it starts. */
export interface WorkerStart {
  readonly path: string
  readonly indexes: readonly IndexSpec[]
}

export interface RankQuery {
  readonly text: string
  readonly filters: readonly RowFilter[]
}

/** What can be asked of an index, by name, with the shape of question and answer. */
export interface Questions {
  rank: { ask: RankQuery; answer: Ranking }
  duplicates: { ask: DuplicateQuery; answer: readonly NearDuplicate[] }
  nearest: { ask: NearestQuery; answer: readonly NearestRow[] }
}

export type Kind = keyof Questions

export interface Request<K extends Kind = Kind> {
  readonly seq: number
  readonly index: string
  readonly kind: K
  readonly ask: Questions[K]['ask']
}

/** Said by the worker beside its answers. */
export interface Warning {
  readonly warning: string
  readonly detail: string
}

export type Response =
  | { readonly seq: number; readonly ok: true; readonly answer: unknown }
  | { readonly seq: number; readonly ok: false; readonly message: string }
