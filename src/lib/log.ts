// The gateway's own log: one JSON object per line, for programs first. What looks like a secret is masked on the way out.

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const
type LogLevel = keyof typeof LEVELS

type Write = (detail: unknown, message?: string) => void

/** A logger of the shape pino and Fastify share. The first argument may be the message itself. */
export interface JsonLog {
  level: string
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  readonly fatal: Write
  readonly silent: Write
  /** A logger whose lines carry these fields too. */
  child(bindings: object): JsonLog
}

export interface LogOptions {
  readonly level: LogLevel
  /** Takes one line, with its line feed. */
  readonly write: (line: string) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
}

const LINE_MAX = 16_384
const NESTING_MAX = 6
/** Fields whose value is never written, whatever it is. */
const SECRET_FIELD =
  /^(authorization|cookie|set-cookie|password|secret|token|api-?key|access_token|refresh_token|client_secret)$/i
/** Our own tokens, and whatever stands after a bearer scheme. */
const SECRET_TEXT = /\bcrow_[a-z]+_[\w-]{16,}|(\bbearer\s+)[\w.~+/=-]{8,}/gi

/** Replaces what looks like a credential in a text. */
export function maskSecrets(text: string): string {
  return text.replace(SECRET_TEXT, (_match, scheme: string | undefined) => `${scheme ?? ''}[masked]`)
}

/** Makes a logger. Lines below the level cost one comparison. */
export function createLog(options: LogOptions, bindings: object = {}): JsonLog {
  const threshold = LEVELS[options.level]
  const at =
    (name: LogLevel): Write =>
    (detail, message) => {
      if (LEVELS[name] < threshold) return
      options.write(lineOf(name, options.now?.() ?? Date.now(), bindings, detail, message))
    }
  return {
    level: options.level,
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    silent: () => undefined,
    child: (more) => createLog(options, { ...bindings, ...more }),
  }
}

function lineOf(level: LogLevel, now: number, bindings: object, detail: unknown, message: string | undefined): string {
  const said = typeof detail === 'string' ? detail : message
  const fields = typeof detail === 'string' ? {} : detail instanceof Error ? { err: detail } : detail
  const line = { level, time: new Date(now).toISOString(), msg: said, ...bindings, ...plain(fields, 0) }
  const text = maskSecrets(JSON.stringify(line))
  // A line that had to be cut is still JSON.
  return text.length <= LINE_MAX
    ? `${text}\n`
    : `${JSON.stringify({ level, time: line.time, msg: maskSecrets(said ?? ''), cut: text.slice(0, LINE_MAX / 2) })}\n`
}

/** A copy that JSON can hold: errors spelled out, secrets masked, depth bounded, so that logging never throws. */
function plain(value: unknown, depth: number): object {
  const copy: Record<string, unknown> = {}
  if (typeof value !== 'object' || value === null) return copy
  for (const [key, item] of Object.entries(value))
    copy[key] = SECRET_FIELD.test(key) ? '[masked]' : plainItem(item, depth + 1)
  return copy
}

function plainItem(item: unknown, depth: number): unknown {
  if (typeof item === 'bigint' || typeof item === 'symbol' || typeof item === 'function') return String(item)
  if (typeof item !== 'object' || item === null) return item
  if (depth >= NESTING_MAX) return '[deep]'
  if (item instanceof Error) return errorOf(item, depth)
  if (item instanceof Date || item instanceof URL) return item.toJSON()
  if (ArrayBuffer.isView(item)) return `[${item.byteLength} bytes]`
  if (Array.isArray(item)) return item.slice(0, 100).map((entry) => plainItem(entry, depth + 1))
  return plain(item, depth)
}

function errorOf(error: Error, depth: number): object {
  const cause = error.cause === undefined ? {} : { cause: plainItem(error.cause, depth + 1) }
  return { type: error.name, message: error.message, ...plain(error, depth), stack: error.stack, ...cause }
}
