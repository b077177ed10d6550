// Changes single values in a JSON text and leaves every other character of it as it is: numbers that no double holds, spacing,
// the order of keys. The text must be valid JSON; nothing here checks that.

/** One member of an object, or one element of a list. */
export interface Item {
  /** Undefined in a list. */
  readonly key: string | undefined
  /** Where it begins, with its key. */
  readonly at: number
  /** The value alone, as offsets into the text. */
  readonly start: number
  readonly end: number
}

const BLANK = /\s*/y
const STRING = /"(?:[^"\\]|\\.)*"/y
const ATOM = /[^\s,\]}]+/y
const INDENT = /\n([ \t]+)"/

/** The items of the object or list that begins at `open`, in the order of the text. */
export function itemsOf(text: string, open: number): Item[] {
  const isObject = text[open] === '{'
  const items: Item[] = []
  let at = after(BLANK, text, open + 1)
  while (text[at] !== '}' && text[at] !== ']') {
    let key: string | undefined
    const from = at
    if (isObject) {
      const end = after(STRING, text, at)
      key = String(JSON.parse(text.slice(at, end)))
      at = after(BLANK, text, after(BLANK, text, end) + 1)
    }
    const end = endOf(text, at)
    items.push({ key, at: from, start: at, end })
    at = after(BLANK, text, end)
    if (text[at] === ',') at = after(BLANK, text, at + 1)
  }
  return items
}

/** The last member of this name, which is the one that JSON.parse takes. */
export function memberOf(text: string, open: number, key: string): Item | undefined {
  return itemsOf(text, open).findLast((item) => item.key === key)
}

/** What to put in the place of a part of the text. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly put: string
}

export function spliced(text: string, { start, end, put }: Splice): string {
  return text.slice(0, start) + put + text.slice(end)
}

/** The text with another value in the place of an item. */
export function replaced(text: string, item: Item, value: unknown, depth: number): string {
  return spliced(text, replacing(text, item, value, depth))
}

export function replacing(text: string, { start, end }: Item, value: unknown, depth: number): Splice {
  return { start, end, put: written(text, value, depth) }
}

interface NewItem {
  readonly key?: string
  readonly value: unknown
}

/**
 * The text with a new last item in the object or list that begins at `open`.
 * @param depth of the item, for its indentation
 */
export function appended(text: string, open: number, item: NewItem, depth: number): string {
  return spliced(text, appending(text, open, item, depth))
}

export function appending(text: string, open: number, { key, value }: NewItem, depth: number): Splice {
  const last = itemsOf(text, open).at(-1)
  const close = endOf(text, open) - 1
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `
  if (last !== undefined && !text.slice(open, close).includes('\n'))
    return { start: last.end, end: last.end, put: `, ${label}${JSON.stringify(value)}` }
  const item = lineAt(text, depth) + label + written(text, value, depth)
  if (last !== undefined) return { start: last.end, end: last.end, put: `,${item}` }
  return { start: open + 1, end: close, put: item + lineAt(text, depth - 1) }
}

function written(text: string, value: unknown, depth: number): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', lineAt(text, depth))
}

/** A line break as the text has them, and the indentation of `depth`. */
function lineAt(text: string, depth: number): string {
  return (text.includes('\r\n') ? '\r\n' : '\n') + unitOf(text).repeat(depth)
}

function unitOf(text: string): string {
  return INDENT.exec(text)?.[1] ?? '  '
}

function endOf(text: string, start: number): number {
  if (text[start] === '"') return after(STRING, text, start)
  if (text[start] !== '{' && text[start] !== '[') return after(ATOM, text, start)
  let depth = 0
  for (let at = start; at < text.length;) {
    const character = text[at]
    if (character === '"') {
      at = after(STRING, text, at)
      continue
    }
    at++
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth === 0) return at
  }
  return text.length
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
