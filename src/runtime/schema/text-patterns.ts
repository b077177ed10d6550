// Patterns that many text fields share, with what to say where a value does not match: a regular expression helps nobody.

/** Holds something that can be seen. */
export const NOT_BLANK = '\\S'

/** One line, no spaces around it and single ones inside: what is shown is what has to be given to name it again. */
export const NAME = '^\\S+(?: \\S+)*$'

const SENTENCES: ReadonlyMap<string, string> = new Map([
  [NOT_BLANK, 'must not be blank'],
  [NAME, 'must be one line with single spaces between words and none around them'],
])

/** What is wrong with a text that does not match. */
export function mismatch(pattern: RegExp): string {
  return SENTENCES.get(pattern.source) ?? `must match the pattern ${pattern.source}`
}
