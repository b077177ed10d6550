// Decides which tags a caller named. A tag is exact: no pattern, no case folding; spaces around it go, and
// those inside become one, as every list shows it.
import { fault, type ToolFault } from '../../../runtime/fault.ts'
import { codePoints } from '../../../runtime/schema/parser.ts'

export const TAG_CHARS_MAX = 100
export const TAGS_MAX = 50
/** A whole piece in quotes; those inside are doubled. */
const QUOTED = /^"((?:[^"]|"")*)"$/

/**
 * Tags from a comma list or an array, trimmed, in NFC, without repeats, in the given order.
 * In a list, double quotes keep a comma, and are doubled inside: `home, "a,b", "5"", new"` is `home`, `a,b` and `5", new`.
 * Quotes around anything else belong to the tag.
 * An array names each tag as it is. The bounds are the same for both.
 * @throws ToolFault VALIDATION_ERROR beyond them
 * @returns `undefined` for an absent value or a blank string, `[]` for an empty array
 */
export function readTags(given: string | readonly string[] | null | undefined): string[] | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'string') return distinct(given)
  return given.trim() === '' ? undefined : distinct(splitList(given))
}

/**
 * The stored tags that a filter can mean: the text as it is, and where a list would show a tag so, that tag. Two only where
 * somebody stored the quotes themselves.
 */
export function tagsMeant(given: string): readonly string[] {
  const quoted = QUOTED.exec(given.trim())?.[1]
  return [...new Set([given, quoted === undefined ? given : unquoted(quoted)].map(tidyTag))]
}

/** One tag in the form in which it is stored. */
export function tidyTag(tag: string): string {
  return tag.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** Tags as a comma list that `readTags` reads back. */
export function writeTags(tags: readonly string[]): string {
  return tags.map((tag) => (/,|^"/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

function distinct(tags: readonly string[]): string[] {
  const found = [...new Set(tags.map(tidyTag).filter((tag) => tag !== ''))]
  const long = found.find((tag) => codePoints(tag) > TAG_CHARS_MAX)
  if (long !== undefined)
    throw refused(`each must have at most ${TAG_CHARS_MAX} characters, one has ${codePoints(long)}`)
  if (found.length > TAGS_MAX) throw refused(`must be at most ${TAGS_MAX}, are ${found.length}`)
  return found
}

function refused(problem: string): ToolFault {
  return fault('VALIDATION_ERROR', `tags: ${problem}`, {
    recovery: 'Give fewer and shorter tags, separated by commas.',
  })
}

/** Splits at commas; a quoted piece that ends before the next comma, and needs its quotes, is one tag. */
function splitList(list: string): string[] {
  const piece = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/gy
  const found: string[] = []
  while (piece.lastIndex < list.length) {
    const match = piece.exec(list)
    if (match === null) break
    const [, quoted, plain = ''] = match
    found.push(quoted === undefined ? plain : unquoted(quoted))
  }
  return found
}

function unquoted(text: string): string {
  return /,|""/.test(text) ? text.replaceAll('""', '"') : `"${text}"`
}
