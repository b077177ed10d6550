// Text of strangers on a page: one line, bounded, without characters that hide, reorder or pretend.

const LENGTH_MAX = 80
/**
 * Controls, formats (bidirectional overrides, zero-width characters, tags), private use, unassigned, line and paragraph
 * separators: none of them is part of a name that a person should judge.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800\p{Variation_Selector}]/gu
/** More marks on one letter than any script stacks are a smear over the lines around it. */
const STACKED = /(\p{M}{3})\p{M}+/gu

/** A name that somebody gave themselves, as it may be shown to the person who decides about them. */
export function inert(written: string, lengthMax = LENGTH_MAX): string {
  const line = written
    .slice(0, lengthMax * 20)
    .normalize('NFC')
    .replace(INVISIBLE, ' ')
    .replace(STACKED, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
  const letters = Array.from(line)
  return letters.length <= lengthMax ? line : `${letters.slice(0, lengthMax - 1).join('')}…`
}
