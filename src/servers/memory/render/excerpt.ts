// Shortens long text to the stretch that answers a question. Positions come from the text itself, so nothing is re-encoded.
import { isPaired, pairsOf, scriptRuns } from '../../../search/scripts.ts'

const WORD = /[\p{L}\p{N}_]+/gu
const WORDS_MAX = 40
const ENDING_CHARS = 2
const STEM_CHARS_MIN = 3

export interface Excerpt {
  readonly text: string
  /** True when something was left out. */
  readonly cut: boolean
}

/** The start of a text on one line, at most `charsMax` long, with an ellipsis when cut. */
export function preview(text: string, charsMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= charsMax ? line : `${sliceWhole(line, 0, charsMax - 1).trimEnd()}…`
}

/**
 * The whole text when it fits in `charsMax`, otherwise the window that holds most of the different words of the question,
 * with ellipses where something is missing. Without a hit, the start.
 */
export function excerpt(text: string, question: string, charsMax: number): Excerpt {
  if (text.length <= charsMax) return { text, cut: false }
  const start = bestStart(hits(text, question), text.length, charsMax)
  const end = Math.min(text.length, start + charsMax)
  const body = sliceWhole(text, start, end).trim()
  return { text: `${start > 0 ? '… ' : ''}${body}${end < text.length ? ' …' : ''}`, cut: true }
}

interface Hit {
  readonly at: number
  readonly word: number
}

/** Where words of the question begin in the text; endings are ignored, so `deploy` is found in `deploying`. */
function hits(text: string, question: string): Hit[] {
  const stems = [...new Set((question.match(WORD) ?? []).flatMap((word) => stemsOf(word.toLowerCase())))].slice(
    0,
    WORDS_MAX,
  )
  if (stems.length === 0) return []
  const numbers = new Map(stems.map((stem, index) => [stem, index]))
  // A script without spaces has words anywhere in a run of letters.
  const anywhere = stems.map((stem) => (isPaired(stem) ? stem : `(?<![\\p{L}\\p{N}_])${stem}`))
  const pattern = new RegExp(anywhere.join('|'), 'giu')
  return Array.from(text.matchAll(pattern), (match) => ({
    at: match.index,
    word: numbers.get(match[0].toLowerCase()) ?? 0,
  }))
}

/** One beginning of a word; in a script without spaces, the pairs of characters that its words are found by. */
function stemsOf(word: string): string[] {
  if (!isPaired(word)) return [word.slice(0, Math.max(STEM_CHARS_MIN, word.length - ENDING_CHARS))]
  return scriptRuns(word).flatMap((run) => (isPaired(run) ? pairsOf(run).pairs : stemsOf(run)))
}

/** Start of the window with the most different words; a quarter of the window leads in. Two pointers over the sorted hits. */
function bestStart(found: readonly Hit[], length: number, charsMax: number): number {
  const lead = Math.floor(charsMax / 4)
  const counts = new Map<number, number>()
  let best = { different: 0, at: 0 }
  let first = 0
  for (const hit of found) {
    counts.set(hit.word, (counts.get(hit.word) ?? 0) + 1)
    for (
      let oldest = found[first];
      oldest !== undefined && hit.at - oldest.at > charsMax - lead;
      oldest = found[first]
    ) {
      const left = (counts.get(oldest.word) ?? 0) - 1
      if (left > 0) counts.set(oldest.word, left)
      else counts.delete(oldest.word)
      first += 1
    }
    if (counts.size > best.different) best = { different: counts.size, at: found[first]?.at ?? 0 }
  }
  return Math.max(0, Math.min(best.at - lead, length - charsMax))
}

/** A slice that never halves a surrogate pair. */
export function sliceWhole(text: string, start: number, end: number): string {
  const from = isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start
  const to = end < text.length && isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end
  return text.slice(from, to)
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
