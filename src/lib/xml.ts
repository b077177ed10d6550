// Escaping for text and attributes in XML-like output.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Safe inside an element: `& < >` become entities. Quotes stay readable. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character)
}

/** Safe inside an attribute in either kind of quotes. */
export function escapeXmlAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
