// Progress of work that takes longer than two seconds: one line on stderr that rewrites itself, on a terminal only.
import type { Terminal } from './terminal.ts'

const SHOW_AFTER_MS = 2_000
const REDRAW_MS = 100
const BAR_WIDTH = 24

export interface Progress {
  /** Reports where the work stands; without a total it can only say how much is done. */
  readonly at: (done: number, total?: number, message?: string) => void
  /** Removes the line. */
  readonly end: () => void
}

/** Nothing is drawn before two seconds, more often than ten times a second, or without a terminal on stderr. */
export function startProgress(terminal: Terminal, label: string, now: () => number = Date.now): Progress {
  const startedAt = now()
  let drawnAt = 0
  return {
    at(done, total, message) {
      const at = now()
      if (!terminal.errIsTerminal || at - startedAt < SHOW_AFTER_MS || at - drawnAt < REDRAW_MS) return
      drawnAt = at
      terminal.stderr.write(`\r\u001b[K${lineOf(label, done, total, message).slice(0, terminal.columns - 1)}`)
    },
    end() {
      if (drawnAt > 0) terminal.stderr.write('\r\u001b[K')
    },
  }
}

function lineOf(label: string, done: number, total: number | undefined, message: string | undefined): string {
  const tail = message === undefined ? '' : ` ${message}`
  if (total === undefined || total <= 0) return `${label} ${done}${tail}`
  const share = Math.min(1, Math.max(0, done / total))
  const filled = Math.round(share * BAR_WIDTH)
  return `${label} [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %${tail}`
}
