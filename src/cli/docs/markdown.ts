// The little Markdown that the generated pages are made of.

/** First line of every generated page. */
export const generatedNote = '<!-- Written by `npm run docs` from the code. Edits here are lost. -->'

/** A table; cells are plain text and are escaped here. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [lineOf(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(lineOf)]
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map(cellOf).join(' | ')} |`
}

/** Text as code inside a cell or a sentence. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', "'")}\``
}

function cellOf(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ')
}
