// JSON as people write it: with comments and a comma after the last item.

/** One that does not end goes to the end: looked for from each of its quotes again, it would take minutes. */
const COMMENT = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|\/\/[^\n\r]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)/g
const LAST_COMMA = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|,(?=\s*[}\]])/g
const NO_BREAK = /[^\n\r]/g

/** The same text as plain JSON: what JSON does not have is blank, and everything else is where it was. */
export function plainJson(text: string): string {
  return text
    .replace(/^\uFEFF/, ' ')
    .replaceAll(COMMENT, blank)
    .replaceAll(LAST_COMMA, blank)
}

function blank(part: string): string {
  return part.startsWith('"') ? part : part.replaceAll(NO_BREAK, ' ')
}
