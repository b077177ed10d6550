// Finds the names in a query: whoever writes a word with a capital where no sentence begins means that one person, place or thing.

import { analyseQuery } from './analyser.ts'
import type { WideTerm } from './widening.ts'

/** A name tells memories apart better than its frequency says: in a talk of two people each is named all the time. */
const NAME_WEIGHT = 1.3
/** A capital after a word, a comma or a bracket; not at the beginning, and not after the end of a sentence. */
const NAME = /(?<=[^\s.!?:\u2026]\s+)\p{Lu}[\p{L}\p{M}\p{N}'\u2019-]*/gu

/** Terms in their order, those of names weighing more. A query all in small letters is left as it is. */
export function stressNames(terms: readonly WideTerm[], text: string): readonly WideTerm[] {
  const names = text.match(NAME)
  if (names === null) return terms
  const forms = new Set(analyseQuery(names.join(' '), []).terms.flatMap((term) => term.forms))
  return terms.map((term) =>
    term.forms.some((form) => forms.has(form)) ? { ...term, idf: term.idf * NAME_WEIGHT } : term,
  )
}
