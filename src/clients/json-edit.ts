// Changes one member deep inside a JSON text that people wrote, with its comments, and leaves every other character as it is.
import { plainJson } from './json-comments.ts'
import { appending, type Item, itemsOf, memberOf, replacing, type Splice, spliced } from './json-text.ts'

/**
 * The text with `value` under the names of `path`, one inside the other; objects on the way that are missing are made.
 * @param text valid JSON, or JSON with comments, whose root is an object; blank for a new one
 * @param value undefined takes the member away
 */
export function withMember(text: string, path: readonly [string, ...string[]], value: unknown): string {
  const plain = plainJson(text)
  if (plain.trim() === '') return value === undefined ? text : `${JSON.stringify(nested(path, value), null, 2)}\n`
  const change = changeOf(plain, path, value)
  if (change === undefined) return text
  // An object that is empty but for a comment keeps it.
  const isLost = change.put !== '' && text.slice(change.start, change.end) !== plain.slice(change.start, change.end)
  return spliced(text, isLost && plain.slice(change.start, change.end).trim() === '' ? before(change) : change)
}

const before = (change: Splice): Splice => ({ ...change, end: change.start })

function changeOf(plain: string, path: readonly [string, ...string[]], value: unknown): Splice | undefined {
  let open = plain.indexOf('{')
  for (const [at, key] of path.entries()) {
    const rest = path.slice(at + 1)
    const depth = at + 1
    const member = memberOf(plain, open, key)
    const isLast = rest.length === 0
    if (value === undefined && (member === undefined || isLast))
      return member === undefined ? undefined : removing(plain, open, member)
    if (member === undefined) return appending(plain, open, { key, value: nested(rest, value) }, depth)
    if (isLast || plain[member.start] !== '{') return replacing(plain, member, nested(rest, value), depth)
    open = member.start
  }
  return undefined
}

/** With the comma before it, or after it where it is the first. */
function removing(plain: string, open: number, member: Item): Splice {
  const items = itemsOf(plain, open)
  const at = items.findIndex(({ start }) => start === member.start)
  const previous = items[at - 1]
  if (previous !== undefined) return { start: previous.end, end: member.end, put: '' }
  const next = items[at + 1]
  return { start: member.at, end: next === undefined ? member.end : next.at, put: '' }
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
}
