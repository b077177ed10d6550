// Decides which memories say the same and which of them stays. Careful on purpose: texts that differ in a number or in a
// negation say different things however alike they look, and a memory only joins one that it resembles itself.
import type { Memory } from '../queries/memories.ts'

/** Word 3-shingle Jaccard similarity from which two memories count as the same. */
const MERGE_SIMILARITY_MIN = 0.8

export interface Pair {
  readonly left: number
  readonly right: number
  readonly similarity: number
}

export interface MergeGroup {
  readonly keep: Memory
  readonly absorb: readonly Memory[]
}

const NUMBERS = /\p{Nd}+(?:[.,:]\p{Nd}+)*/gu
const NEGATIONS =
  /(?<![\p{L}\p{N}])(?:not|no|never|none|without|cannot|\p{L}+n['’]t|nunca|jamás|sin|ni|pas|jamais|sans|nicht|nie|kein\p{L}*|ohne|non|mai|senza|não|sem|не|нет|никогда|без)(?![\p{L}\p{N}])/giu

/** True when merging two memories of this similarity loses no meaning that we can see. */
export function canMerge(left: Memory, right: Memory, similarity: number): boolean {
  return (
    similarity >= MERGE_SIMILARITY_MIN &&
    left.category === right.category &&
    left.projectId === right.projectId &&
    left.instanceId === right.instanceId &&
    marks(left.content, NUMBERS) === marks(right.content, NUMBERS) &&
    marks(left.content, NEGATIONS) === marks(right.content, NEGATIONS)
  )
}

function canMergePair(left: Memory, right: Memory, { similarity }: Pair): boolean {
  return canMerge(left, right, similarity)
}

/**
 * Groups of memories that may become one. The better one stays; every absorbed memory resembles the one that stays, not
 * merely another absorbed one. Each memory is in at most one group. Linear in the number of pairs.
 * @param isMergeable decided before, by who had long texts to compare
 */
export function planMerges(
  memories: ReadonlyMap<number, Memory>,
  pairs: readonly Pair[],
  isMergeable: (left: Memory, right: Memory, pair: Pair) => boolean = canMergePair,
): MergeGroup[] {
  const alike = new Map<number, Set<number>>()
  for (const pair of pairs) {
    const { left, right } = pair
    const [first, second] = [memories.get(left), memories.get(right)]
    if (first === undefined || second === undefined || !isMergeable(first, second, pair)) continue
    neighbours(alike, left).add(right)
    neighbours(alike, right).add(left)
  }
  const taken = new Set<number>()
  const groups: MergeGroup[] = []
  for (const keep of [...alike.keys()].flatMap((id) => memories.get(id) ?? []).toSorted(better)) {
    if (taken.has(keep.id)) continue
    const absorb = [...(alike.get(keep.id) ?? [])]
      .filter((id) => !taken.has(id))
      .flatMap((id) => memories.get(id) ?? [])
    if (absorb.length === 0) continue
    for (const memory of [keep, ...absorb]) taken.add(memory.id)
    groups.push({ keep, absorb })
  }
  return groups
}

/** What the kept memory becomes: all tags, the highest importance, the first context there is, all accesses. */
export function mergedFields({ keep, absorb }: MergeGroup) {
  const all = [keep, ...absorb]
  const context = all.find((memory) => memory.context !== null)?.context
  return {
    tags: [...new Set(all.flatMap((memory) => memory.tags))],
    importance: Math.max(...all.map((memory) => memory.importance)),
    accessCount: all.reduce((sum, memory) => sum + memory.accessCount, 0),
    ...(typeof context === 'string' && { context }),
  }
}

/** Order of preference: more important, more used, changed later, older id. */
function better(left: Memory, right: Memory): number {
  return (
    right.importance - left.importance ||
    right.accessCount - left.accessCount ||
    right.updatedAt - left.updatedAt ||
    left.id - right.id
  )
}

function neighbours(graph: Map<number, Set<number>>, id: number): Set<number> {
  const known = graph.get(id)
  if (known !== undefined) return known
  const made = new Set<number>()
  graph.set(id, made)
  return made
}

/** In their order: `from 9 to 10` and `from 10 to 9` say different things. */
function marks(text: string, pattern: RegExp): string {
  return (text.toLowerCase().match(pattern) ?? []).join(' ')
}
