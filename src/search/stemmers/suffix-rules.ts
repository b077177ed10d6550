// Runs a stemmer that is written as a table: steps of suffixes, each removed only inside a region of the word (M. F. Porter, "Snowball").

/** `r1`: after the first consonant that follows a vowel; `r2`: the same again inside r1; `rv`: the verb region of Romance languages. */
export type Region = 'r1' | 'r2' | 'rv' | 'any'

export interface Step {
  readonly region: Region
  /** Longest first after compilation: suffix → what replaces it. */
  readonly suffixes: readonly (readonly [suffix: string, replacement: string])[]
  /** The suffix goes only when the letters before it match. */
  readonly after?: RegExp
  /** Runs only when the step before it changed nothing (`else`) or changed something (`then`). */
  readonly when?: 'else' | 'then'
}

export interface SuffixTable {
  readonly vowels: string
  /** Shortest distance of r1 from the start of the word. */
  readonly r1Min: number
  readonly verbRegion: boolean
  readonly steps: readonly Step[]
}

/** Writes one step: space-separated suffixes, `suffix>replacement` where something stays. */
export function step(region: Region, suffixes: string, options: Pick<Step, 'after' | 'when'> = {}): Step {
  const rules = suffixes.split(/\s+/).map((rule): [string, string] => {
    const [suffix = '', replacement = ''] = rule.split('>')
    return [suffix, replacement]
  })
  return { region, suffixes: rules.toSorted((a, b) => b[0].length - a[0].length), ...options }
}

function regionAfter(word: string, vowels: string, start: number): number {
  let i = start
  while (i < word.length && !vowels.includes(word.charAt(i))) i++
  while (i < word.length && vowels.includes(word.charAt(i))) i++
  return Math.min(i + 1, word.length)
}

function verbRegion(word: string, vowels: string): number {
  const vowelAt = (i: number): boolean => i < word.length && vowels.includes(word.charAt(i))
  let i = 2
  if (!vowelAt(1)) {
    while (i < word.length && !vowelAt(i)) i++
    return Math.min(i + 1, word.length)
  }
  if (!vowelAt(0)) return Math.min(3, word.length)
  while (i < word.length && vowelAt(i)) i++
  return Math.min(i + 1, word.length)
}

function applyStep(word: string, one: Step, from: number): string {
  for (const [suffix, replacement] of one.suffixes) {
    if (!word.endsWith(suffix) || suffix.length === word.length) continue
    const cut = word.length - suffix.length
    if (cut < from) continue
    const head = word.slice(0, cut)
    if (one.after !== undefined && !one.after.test(head)) continue
    return head + replacement
  }
  return word
}

/** The stem of one folded word by the rules of one language. */
export function stemByTable(word: string, table: SuffixTable): string {
  if (word.length < 4) return word
  const r1Natural = regionAfter(word, table.vowels, 0)
  const regions: Record<Region, number> = {
    any: 0,
    r1: Math.max(r1Natural, table.r1Min),
    r2: regionAfter(word, table.vowels, r1Natural),
    rv: table.verbRegion ? verbRegion(word, table.vowels) : 0,
  }
  let stem = word
  let changed = false
  for (const one of table.steps) {
    if (one.when !== undefined && (one.when === 'then') !== changed) continue
    const next = applyStep(stem, one, regions[one.region])
    changed = next !== stem
    stem = next
  }
  return stem
}
