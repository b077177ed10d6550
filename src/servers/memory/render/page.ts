// The frame around every list: how many, the rows, and how to go on.

/** Head line, rows, and the cursor of the next page as the last line. */
export function renderPage(head: string, rows: readonly string[], next: string | undefined): string {
  const tail = next === undefined ? [] : [`next_cursor: ${next}`]
  return [head, ...rows, ...tail].join('\n')
}

/** `1 memory`, `3 memories`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`
}
