// Which text can be stored and given back exactly: SQLite text ends at NUL, and UTF-8 has no lone surrogates.

/** False when the text holds a NUL character or a lone surrogate. */
export function losslessText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** What is wrong, for a message; undefined when nothing is. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character, which cannot be stored'
  return text.isWellFormed()
    ? undefined
    : 'holds half of a surrogate pair, which cannot be stored; send whole characters'
}
