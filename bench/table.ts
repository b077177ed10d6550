// The one table that a run of the bench prints.

export interface Row {
  readonly what: string
  readonly value: string
  readonly bar?: string
  /** Whether the bar was met; only with a bar. */
  readonly ok?: boolean
}

export interface Section {
  readonly title: string
  readonly rows: readonly Row[]
}

/** Markdown, one table for all sections. */
export function render(sections: readonly Section[]): string {
  const lines = sections.flatMap(({ title, rows }) =>
    rows.map(({ what, value, bar, ok }) => [
      title,
      what,
      value,
      bar ?? '',
      ok === undefined ? '' : ok ? 'met' : 'MISSED',
    ]),
  )
  const cells = [['section', 'what', 'measured', 'bar', ''], ...lines]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n')
}
