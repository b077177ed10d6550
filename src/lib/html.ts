// HTML as values: what a template is given is escaped, unless it is HTML already. Pages are made of nothing else.

/** A piece of HTML that is safe to put into a page. Only this file makes one. */
export class Html {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  /** Takes markup as it is: for text of our own, never for what anybody sent. */
  static trusted(text: string): Html {
    return new Html(text)
  }

  toString(): string {
    return this.#text
  }
}

/** What may stand in a template: `false`, `null` and `undefined` are nothing, a list is its items one after the other. */
export type Fragment = Html | string | number | false | null | undefined | readonly Fragment[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Safe inside an element and inside an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character)
}

/** Escapes every value that is not HTML. Attributes are written in quotes, URLs in them are checked by whoever writes them. */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return Html.trusted(strings.reduce((text, next, index) => text + textOf(values[index - 1]) + next))
}

/** Markup of our own, taken as it is. */
export function raw(text: string): Html {
  return Html.trusted(text)
}

function textOf(value: Fragment): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeHtml(String(value))
}
