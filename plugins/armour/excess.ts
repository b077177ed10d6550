// Counts what a JSON text holds before anybody parses it. A parser spends microseconds on every new name and level, so that a
// body within the limit of bytes could hold up everybody else for a second; looking at its bytes takes a nanosecond each.

/** Deeper than this, something further on could run out of stack. */
const LEVELS_MAX = 512
/** Members of all objects together. New names are by far the most expensive thing that JSON can hold. */
const NAMES_MAX = 10_000
/** Elements and members together, containers included. Texts fill a body long before this many values do. */
const VALUES_MAX = 100_000

/** A text of this many bytes stays below every bound: a level or a value takes two bytes. */
const SAFE_BYTES = 2 * LEVELS_MAX

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
/** `[` and `{` differ by this bit only. */
const CURLY = 0x20
const OPENING = 0x7b

/** Texts longer than this are searched by the runtime, which is faster once it has begun. */
const SHORT_BYTES = 64

/** 1 for the bytes that mean something outside of a text. */
const MEANS = Uint8Array.from({ length: 256 }, (_, byte) => ('",:[]{}'.includes(String.fromCharCode(byte)) ? 1 : 0))

/**
 * Why a JSON text is too much to parse, as the end of a sentence, else undefined. Whether it is JSON at all is left to the
 * parser. One pass without recursion, which ends at a bound.
 */
export function excessOf(bytes: Uint8Array): string | undefined {
  if (bytes.length <= SAFE_BYTES) return undefined
  let names = 0
  let values = 0
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (MEANS[byte] === 0) continue
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === COMMA) values++
    else if (byte === COLON) names++
    else if ((byte | CURLY) === OPENING) {
      values++
      depth++
    } else depth--
    if (depth > LEVELS_MAX) return `nested deeper than ${LEVELS_MAX} levels`
    if (names > NAMES_MAX) return `with more than ${NAMES_MAX} names in its objects`
    if (values > VALUES_MAX) return `of more than ${VALUES_MAX} values`
  }
  return undefined
}

/** Where the text that opens at `start` closes; the end of the bytes when it does not. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  for (;;) {
    for (const stop = at + SHORT_BYTES; at < stop; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) at++
    }
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return bytes.length
    let escapes = 0
    while (quote - escapes > at && bytes[quote - escapes - 1] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote
    at = quote + 1
  }
}
