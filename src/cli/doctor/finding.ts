// What a check of `crow doctor` found.

export type Status = 'ok' | 'warn' | 'fail'

export interface Finding {
  /** What was looked at, a word or two. */
  readonly name: string
  readonly status: Status
  readonly message: string
  /** What to do about it, one sentence; only with warn and fail. */
  readonly fix?: string
}

/** The command line of `crow …` that works from any folder, for a fix. */
export type CommandOf = (...words: readonly string[]) => string

export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message })
export const warn = (name: string, message: string, fix: string): Finding => ({ name, status: 'warn', message, fix })
export const fail = (name: string, message: string, fix: string): Finding => ({ name, status: 'fail', message, fix })
