// Folds characters so that spellings of one word meet: NFKC, case, diacritics that do not make another letter.

/** Letters that Unicode decomposition leaves alone although readers write them both ways. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
  // Cyrillic: ё is written е as often as not; й is another letter than и and stays.
  ё: 'е',
  й: 'й',
  ў: 'ў',
  ї: 'ї',
  // Arabic: one alef, one yeh, one teh.
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
}

const ASCII = /^[\0-\x7f]*$/
/** Latin, Greek and Cyrillic with marks, Arabic letters with variants, and marks that only say how to pronounce. */
const FOLDABLE = /[\u00c0-\u024f\u1e00-\u1fff\u0370-\u03ff\u0400-\u052f\u0622-\u0649\u0671]/g
const SILENT_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/g

const seen = new Map<string, string>()

function foldLetter(letter: string): string {
  const known = seen.get(letter)
  if (known !== undefined) return known
  const folded = LETTERS[letter] ?? letter.normalize('NFD').replace(SILENT_MARKS, '')
  seen.set(letter, folded)
  return folded
}

/** Compatibility forms made equal and broken surrogates replaced; case is kept, because identifiers are split by it. */
export function compose(text: string): string {
  return ASCII.test(text) ? text : text.toWellFormed().normalize('NFKC')
}

/**
 * Lower case without diacritics, of text that went through `compose`.
 * `Ärger` → `arger`, `Straße` → `strasse`, `ёлка` → `елка`, `йод` → `йод`.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  if (ASCII.test(lower)) return lower
  return lower.replace(FOLDABLE, foldLetter).replace(SILENT_MARKS, '')
}
