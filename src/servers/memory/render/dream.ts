// Renders what dream found, did, or took back.
import { DAY_MS } from '../../../lib/time.ts'
import { mergedFields, type MergeGroup, type Pair } from '../policy/merging.ts'
import type { Vital } from '../queries/dreams.ts'
import type { Memory } from '../queries/memories.ts'
import type { CategoryHealth } from '../survey.ts'
import { headAndDifference, isSameText } from './difference.ts'
import { DATA_NOTE, element, fenceAttribute } from './fence.ts'
import { preview } from './excerpt.ts'
import { counted } from './page.ts'

const CATEGORIES_MAX = 50
const CATEGORY_CHARS_MAX = 60
const GROUPS_MAX = 20
const PAIRS_MAX = 20
const PREVIEW_CHARS_MAX = 100
/** Texts of one section share this much, about a quarter as many tokens; each has its least all the same. */
const GROUPS_CHARS = 12_000
const PAIRS_CHARS = 8_000
const TEXT_CHARS_MIN = 160
const TEXT_CHARS_MAX = 600
const ABSORBED_SHOWN_MAX = 4
const CONTEXT_CHARS_MAX = 100

export interface DreamReport {
  readonly categories: readonly CategoryHealth[]
  readonly stale: readonly (Vital & { readonly content: string })[]
  readonly groups: readonly MergeGroup[]
  readonly pairs: readonly Pair[]
  readonly memories: ReadonlyMap<number, Memory>
  /** How many memories duplicates were looked for from. */
  readonly examined: number
  readonly now: number
}

export function renderReport(report: DreamReport): string {
  if (report.examined === 0) return 'Nothing is stored yet, so there is nothing to tend.'
  // A memory is shown once, where most has to be seen of it: what comes later names it by its id.
  const shown = new Set<number>()
  const twice = groupList(report.groups, shown)
  const alike = similarList(report, shown)
  const parts = [
    `# Memory report\n\n${DATA_NOTE}`,
    categoryTable(report.categories),
    twice,
    alike,
    staleList(report, shown),
    `## Next\n\n${advice(report, alike !== '')}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

export function renderMerge(done: { readonly id: number; readonly merged: readonly MergeGroup[] } | undefined): string {
  if (done === undefined) return 'Nothing was merged: no two memories say the same.'
  const absorbed = done.merged.reduce((sum, group) => sum + group.absorb.length, 0)
  const rows = done.merged
    .slice(0, GROUPS_MAX)
    .map(({ keep, absorb }) => `- id ${keep.id} now stands for ${idsOf(absorb)} too`)
  const more = done.merged.length > GROUPS_MAX ? [`- and ${done.merged.length - GROUPS_MAX} more`] : []
  const head = `Merged ${counted(absorbed, 'memory', 'memories')} into ${done.merged.length}. To take it back within 30 days: crow_dream with undo: ${done.id}.`
  return [head, ...rows, ...more].join('\n')
}

export function renderUndo({ restored, leftAlone }: { restored: number; leftAlone: readonly number[] }): string {
  const kept =
    leftAlone.length === 0
      ? ''
      : ` Changed or deleted since the merge, so left as they are: ${leftAlone.map((id) => `id ${id}`).join(', ')}.`
  return `Taken back: ${counted(restored, 'memory is', 'memories are')} there again.${kept}`
}

function categoryTable(categories: readonly CategoryHealth[]): string {
  const rows = categories.slice(0, CATEGORIES_MAX).map(({ category, count, importance, stale }) => {
    const old = stale > 0 ? `, ${stale} stale` : ''
    return `- "${fenceAttribute(preview(category, CATEGORY_CHARS_MAX))}" ${count}, importance ${importance}${old}`
  })
  return ['## Categories', '', ...rows].join('\n')
}

function staleList({ stale, now }: DreamReport, shown: ReadonlySet<number>): string {
  if (stale.length === 0) return ''
  const unusedDays = (lastUse: number): number => Math.floor((now - lastUse) / DAY_MS)
  const above = stale
    .filter(({ id }) => shown.has(id))
    .map(({ id, lastUse }) => `id ${id} (unused_days ${unusedDays(lastUse)})`)
  const rows = stale
    .filter(({ id }) => !shown.has(id))
    .map(({ id, category, importance, content, lastUse }) =>
      element(
        'memory',
        { id, category, importance, unused_days: unusedDays(lastUse) },
        preview(content, PREVIEW_CHARS_MAX),
      ),
    )
  return ['## Stale', '', ...(above.length > 0 ? [`shown above: ${above.join(', ')}`] : []), ...rows].join('\n')
}

/** What a merge would keep and what it would absorb, each with enough text to judge it by. */
function groupList(groups: readonly MergeGroup[], shown: Set<number>): string {
  if (groups.length === 0) return ''
  const listed = groups.slice(0, GROUPS_MAX)
  const texts = listed.reduce((sum, { absorb }) => sum + 1 + Math.min(absorb.length, ABSORBED_SHOWN_MAX), 0)
  const charsMax = textChars(GROUPS_CHARS, texts)
  const more = groups.length > GROUPS_MAX ? [`And ${groups.length - GROUPS_MAX} more that would be merged.`] : []
  return [
    `## Stored twice (${groups.length})`,
    '',
    ...listed.map((group) => renderGroup(group, charsMax, shown)),
    ...more,
  ].join('\n')
}

function renderGroup(group: MergeGroup, charsMax: number, shown: Set<number>): string {
  const { keep, absorb } = group
  for (const { id } of [keep, ...absorb]) shown.add(id)
  const { context } = mergedFields(group)
  const different = absorb.find((memory) => !isSameText(memory.content, keep.content)) ?? keep
  const lost = (memory: Memory): string | undefined =>
    memory.context === null || memory.context === context ? undefined : preview(memory.context, CONTEXT_CHARS_MAX)
  const isSame = (memory: Memory): boolean => isSameText(memory.content, keep.content) && lost(memory) === undefined
  const same = absorb.filter(isSame)
  const others = absorb.filter((memory) => !isSame(memory))
  const unseen = others.slice(ABSORBED_SHOWN_MAX)
  return [
    'keep:',
    element(
      'memory',
      { id: keep.id, category: keep.category },
      headAndDifference(keep.content, different.content, charsMax),
    ),
    'absorb:',
    ...others
      .slice(0, ABSORBED_SHOWN_MAX)
      .map((memory) =>
        element(
          'memory',
          { id: memory.id, context: lost(memory) },
          headAndDifference(memory.content, keep.content, charsMax),
        ),
      ),
    ...(same.length > 0 ? [`${idsOf(same)}: the same text`] : []),
    ...(unseen.length > 0 ? [`${idsOf(unseen)}: like these`] : []),
  ].join('\n')
}

/** Characters that each of so many texts may take of a budget. */
function textChars(budget: number, texts: number): number {
  return Math.max(TEXT_CHARS_MIN, Math.min(TEXT_CHARS_MAX, Math.floor(budget / Math.max(1, texts))))
}

/** Pairs that look alike but will not be merged. */
function similarList({ pairs, groups, memories }: DreamReport, shown: Set<number>): string {
  const going = new Set(groups.flatMap(({ absorb }) => absorb.map((memory) => memory.id)))
  const listed = pairs.filter(({ left, right }) => !going.has(left) && !going.has(right)).slice(0, PAIRS_MAX)
  const charsMax = textChars(PAIRS_CHARS, 2 * listed.length)
  const rows = listed.flatMap(({ left, right, similarity }) => {
    // What has been shown goes second, where an id is enough.
    const [one, two] = (shown.has(left) ? [right, left] : [left, right]).map((id) => memories.get(id))
    if (one === undefined || two === undefined) return []
    const row = (memory: Memory, other: Memory, like: object): string[] => {
      if (shown.has(memory.id)) return []
      shown.add(memory.id)
      return [element('memory', { id: memory.id, ...like }, headAndDifference(memory.content, other.content, charsMax))]
    }
    const first = row(one, two, { like: two.id, similarity })
    return first.length === 0
      ? [`id ${one.id} like id ${two.id}, similarity ${similarity}`]
      : [...first, ...row(two, one, {})]
  })
  return rows.length === 0 ? '' : ['## Alike, not merged', '', ...rows].join('\n')
}

function advice({ stale, groups }: DreamReport, showsAlike: boolean): string {
  const lines = [
    groups.length > 0 && '- Merge what is stored twice: crow_dream with dry_run: false. It can be undone.',
    stale.length > 0 &&
      '- Ask the person about stale memories, then crow_delete_memory, or crow_update_memory with a higher importance.',
    showsAlike && '- Look at what is alike: crow_get_memory both, then correct one.',
  ].filter((line) => line !== false)
  return lines.length === 0 ? 'Nothing to do.' : lines.join('\n')
}

const idsOf = (memories: readonly { readonly id: number }[]): string => memories.map(({ id }) => `id ${id}`).join(', ')
