// Decides which tags a caller named. A tag is exact: no pattern, no case folding; only the spaces around it go.

export const TAG_CHARS_MAX = 100
export const TAGS_MAX = 50

/**
 * Tags from a comma list or an array, trimmed, in NFC, without repeats, in the given order.
 * In a list, double quotes keep a comma: `home, "a,b"` is `home` and `a,b`; quotes around anything else belong to the tag.
 * An array names each tag as it is. @returns `undefined` for an absent value or a blank string, `[]` for an empty array
 */
export function readTags(given: string | readonly string[] | null | undefined): string[] | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'string') return distinct(given)
  return given.trim() === '' ? undefined : distinct(splitList(given))
}

/** One tag in the form in which it is stored. */
export function tidyTag(tag: string): string {
  return tag.normalize('NFC').trim()
}

/** Tags as a comma list that `readTags` reads back. */
export function writeTags(tags: readonly string[]): string {
  return tags.map((tag) => (tag.includes(',') ? `"${tag}"` : tag)).join(', ')
}

function distinct(tags: readonly string[]): string[] {
  return [...new Set(tags.map(tidyTag).filter((tag) => tag !== ''))]
}

/** Splits at commas; a quoted piece that holds a comma and ends before the next comma is one tag. */
function splitList(list: string): string[] {
  const piece = /\s*(?:"([^"]*,[^"]*)"\s*(?=,|$)|([^,]*))(?:,|$)/gy
  const found: string[] = []
  while (piece.lastIndex < list.length) {
    const match = piece.exec(list)
    if (match === null) break
    found.push(match[1] ?? match[2] ?? '')
  }
  return found
}
