// Cuts text into words. Identifiers (paths, tickets, versions, camelCase) come out whole and in parts.

import { compose, fold } from './fold.ts'

/** Characters of a word that are kept; longer runs (base64, hashes) are found by their beginning. */
export const WORD_CHARS_MAX = 64
/** Characters of one text that are read. */
export const TEXT_CHARS_MAX = 100_000

export interface Word {
  /** Folded, without joiners at its ends. */
  readonly text: string
  /** `part` belongs to the identifier that came out whole just before. */
  readonly kind: 'word' | 'whole' | 'part'
}

const JOINERS = `_\\-.:/\\\\@#~+&'\u2019`
const ASCII_CHUNK = new RegExp(`[A-Za-z0-9]+(?:[${JOINERS}]+[A-Za-z0-9]+)*(?:\\+\\+|#)?`, 'g')
const UNICODE_CHUNK = new RegExp(`[\\p{L}\\p{N}\\p{M}]+(?:[${JOINERS}]+[\\p{L}\\p{N}\\p{M}]+)*(?:\\+\\+|#)?`, 'gu')
const ASCII = /^[\0-\x7f]*$/
const PLAIN = /^[a-z]+$|^[A-Z]?[a-z]+$|^\d+$/
const APOSTROPHE = /['\u2019]+/
const SEGMENT_JOINER = /[/\\:@#~&]+/
const PART_JOINER = /[_\-.+]+/
/** Between lower and upper, before the last capital of an acronym, between letters and digits. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}{2})(?=\p{N}{2})|(?<=\p{N}{2})(?=\p{L}{2})/u
/** One letter or digit of an identifier says nothing alone. */
const SINGLE = /^.$/u

function cut(text: string): string {
  return fold(text.length > WORD_CHARS_MAX ? text.slice(0, WORD_CHARS_MAX).toWellFormed() : text)
}

function pushParts(segment: string, out: Word[]): void {
  for (const part of segment.split(PART_JOINER)) {
    if (part === '' || SINGLE.test(part)) continue
    const pieces = PLAIN.test(part) ? [part] : part.slice(0, WORD_CHARS_MAX).toWellFormed().split(CAMEL)
    if (pieces.length > 1 || part !== segment) out.push({ text: cut(part), kind: 'part' })
    if (pieces.length > 1) for (const piece of pieces) out.push({ text: cut(piece), kind: 'part' })
  }
}

function pushIdentifier(chunk: string, out: Word[]): void {
  const segments = chunk.split(SEGMENT_JOINER).filter((segment) => segment !== '')
  // A hyphen is written or left out at will: POL-358 and pol358, e-mail and email are one.
  out.push({ text: cut(chunk.replaceAll('-', '')), kind: 'whole' })
  for (const segment of segments) {
    if (segments.length > 1 && !SINGLE.test(segment)) out.push({ text: cut(segment.replaceAll('-', '')), kind: 'part' })
    pushParts(segment, out)
  }
}

function pushChunk(chunk: string, out: Word[]): void {
  if (PLAIN.test(chunk)) {
    out.push({ text: cut(chunk), kind: 'word' })
    return
  }
  const spoken = chunk.split(APOSTROPHE)
  if (spoken.length > 1) {
    // Caroline's, l'homme, don't: a single letter beside an apostrophe is grammar, not a word.
    for (const piece of spoken) if (piece.length > 1) pushChunk(piece, out)
    return
  }
  if (SEGMENT_JOINER.test(chunk) || PART_JOINER.test(chunk) || CAMEL.test(chunk.slice(0, WORD_CHARS_MAX)))
    pushIdentifier(chunk, out)
  else out.push({ text: cut(chunk), kind: 'word' })
}

/**
 * Words of a text in order. `getUserName` → whole `getusername`, parts `get`, `user`, `name`;
 * `src/a-b.ts` → whole, then `src`, `a-b.ts`, `ts`. Any input is fine: broken surrogates, NUL and punctuation only separate.
 */
export function wordsOf(text: string): Word[] {
  const composed = compose(text.length > TEXT_CHARS_MAX ? text.slice(0, TEXT_CHARS_MAX) : text)
  const out: Word[] = []
  for (const chunk of composed.match(ASCII.test(composed) ? ASCII_CHUNK : UNICODE_CHUNK) ?? []) pushChunk(chunk, out)
  // Marks that only colour a letter may be all there was.
  return out.filter((word) => word.text !== '')
}
