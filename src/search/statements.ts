// Keeps statements prepared that differ only in a room's filters: few in kind, asked again and again.

import type { Statement } from 'better-sqlite3'
import type { Sqlite } from './spec.ts'

/** Kinds of statements that are kept; when a caller invents more, all are forgotten together. */
const KEPT_MAX = 64

/** Prepared statements of one connection by their text, all of one shape of parameters and result. */
export class StatementCache<P extends unknown[], R> {
  readonly #sqlite: Sqlite
  readonly #kept = new Map<string, Statement<P, R>>()

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
  }

  get(sql: string): Statement<P, R> {
    const found = this.#kept.get(sql)
    if (found !== undefined) return found
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    const made = this.#sqlite.prepare<P, R>(sql)
    this.#kept.set(sql, made)
    return made
  }
}
