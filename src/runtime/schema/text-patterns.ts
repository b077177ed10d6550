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

/** What texts can be like, told by one that is. */
const LIKENESSES: readonly (readonly [name: string, sample: string])[] = [
  ['uri', 'https://example.com/'],
  ['date', '2026-01-31'],
  ['email', 'name@example.com'],
]

/** What a pattern wants that refuses an ordinary word, as a format's name; undefined when it takes words, or is like none. */
export function likenessOf(pattern: RegExp): string | undefined {
  return pattern.test('word') ? undefined : LIKENESSES.find(([, sample]) => pattern.test(sample))?.[0]
}
