// A name as the caller wrote it, said back to them: bounded, because nobody bounds what is written there.

const CHARS_MAX = 64

/** The name, cut with an ellipsis where it is too long, without lone surrogates. */
export function saidName(name: string): string {
  return name.length <= CHARS_MAX ? name.toWellFormed() : `${name.slice(0, CHARS_MAX).toWellFormed()}…`
}
