// Rows in aligned columns for a person.

type Cell = string | number | boolean | null | undefined

/** Lines of a table: the head, then the rows; an empty cell is a dash. */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const texts = [
    head,
    ...rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '-' : String(cell)))),
  ]
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  return texts.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
