// Shows what a change would do to a section, line by line, for the person who says yes or no. Nothing in it is hidden:
// characters that show nothing are spelt out, because a model would read them.
import { scopeName, type Section } from '../policy/sections.ts'
import type { Proposal } from '../queries/proposals.ts'

/** Unchanged lines on each side of a change. */
const AROUND_LINES = 2
/** Above this many comparisons the stretch between the first and the last change is shown as replaced whole. */
const COMPARISONS_MAX = 1_000_000

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu

/** One line of text with every invisible character spelt out as `\u{200b}`. */
export function revealed(line: string): string {
  return line.replaceAll(UNSEEN, (character) =>
    character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

const VERBS = { add: 'add', update: 'change', delete: 'delete' } as const

/** `change writing_style (device phone)` */
export function proposalName(proposal: Proposal): string {
  return revealed(`${VERBS[proposal.action]} ${proposal.key} (${scopeName(proposal)})`)
}

/**
 * The difference between a section as it serves and as it would be. Lines begin with `+ `, `- ` or two spaces; what is
 * not text (heading, place, on or off) comes first.
 */
export function sectionDiff(before: Section | undefined, proposal: Proposal): string {
  const after = proposal.action === 'delete' ? undefined : proposal
  return [
    ...fieldLines('heading', before?.title, after?.title),
    ...fieldLines('order', before?.sortOrder, after?.sortOrder),
    ...fieldLines('on', onOff(before), onOff(after)),
    ...textLines(linesOf(before), linesOf(after)),
  ].join('\n')
}

const onOff = (section: Pick<Section, 'enabled'> | undefined): string | undefined =>
  section && (section.enabled ? 'yes' : 'no')

const linesOf = (section: Pick<Section, 'content'> | undefined): string[] =>
  section === undefined ? [] : section.content.split(/\r\n|\n|\r/).map(revealed)

function fieldLines(name: string, before: string | number | undefined, after: string | number | undefined): string[] {
  if (before === after) return []
  return [
    ...(before === undefined ? [] : [`- ${name}: ${revealed(String(before))}`]),
    ...(after === undefined ? [] : [`+ ${name}: ${revealed(String(after))}`]),
  ]
}

type Line = readonly [mark: ' ' | '-' | '+', text: string]

const same = (text: string): Line => [' ', text]

function textLines(before: readonly string[], after: readonly string[]): string[] {
  const lines = difference(before, after)
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND_LINES), at + AROUND_LINES + 1).some(([mark]) => mark !== ' '),
  )
  return lines.flatMap(([mark, text], at) => {
    if (isNear[at] === true) return `${mark} ${text}`
    return isNear[at - 1] === true || (at === 0 && isNear.includes(true)) ? '  …' : []
  })
}

/** Lines of both: the common beginning and end, and between them the shortest way from one to the other. */
function difference(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const shortest = Math.min(before.length, after.length) - head
  while (tail < shortest && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [
    ...before.slice(0, head).map(same),
    ...between(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

function between(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > COMPARISONS_MAX)
    return [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])]
  const common = commonLengths(before, after)
  const lines: Line[] = []
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const [one, other] = [before[left], after[right]]
    if (one !== undefined && one === other) {
      lines.push([' ', one])
      left++
      right++
    } else if (
      one !== undefined &&
      (other === undefined || (common[left + 1]?.[right] ?? 0) >= (common[left]?.[right + 1] ?? 0))
    ) {
      lines.push(['-', one])
      left++
    } else if (other !== undefined) {
      lines.push(['+', other])
      right++
    }
  }
  return lines
}

/** Longest common subsequence of what follows each pair of positions. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let left = before.length - 1; left >= 0; left--) {
    const [row, below] = [rows[left], rows[left + 1]]
    if (row === undefined || below === undefined) continue
    for (let right = after.length - 1; right >= 0; right--) {
      row[right] =
        before[left] === after[right] ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0)
    }
  }
  return rows
}
