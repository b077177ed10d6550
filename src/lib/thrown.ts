// JavaScript throws anything; the rest of the code handles errors.

/** The value where it is an error, else an error that says it. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value))
}
