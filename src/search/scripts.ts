// Says how the words of a script are found: by spaces, or, where a script writes none (or glues particles on), by pairs of characters.

/** Scripts whose running text is indexed as overlapping pairs: Han, kana, Hangul, Thai, Lao, Myanmar, Khmer. */
const PAIRED =
  '\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u1100-\\u11ff\\uac00-\\ud7af' +
  '\\u0e00-\\u0e4e\\u0e80-\\u0ece\\u1000-\\u109f\\u1780-\\u17d3\\u{20000}-\\u{323af}'

const ANY_PAIRED = new RegExp(`[${PAIRED}]`, 'u')
const RUNS = new RegExp(`[${PAIRED}]+|[^${PAIRED}]+`, 'gu')
const HAN = /^[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]$/u

export function isPaired(text: string): boolean {
  return ANY_PAIRED.test(text)
}

/** Splits a word where it changes between paired and spaced scripts: `Redisの設定` → `Redis`, `の設定`. */
export function scriptRuns(word: string): string[] {
  return word.match(RUNS) ?? []
}

export interface Pairs {
  /** Overlapping pairs, or the only character of a run of one. */
  readonly pairs: string[]
  /** Characters that mean something alone: Han, and the last of any run, so that every character begins some term. */
  readonly singles: string[]
}

/** The terms of one run of a paired script. */
export function pairsOf(run: string): Pairs {
  const characters = Array.from(run)
  const last = characters.at(-1)
  if (last === undefined) return { pairs: [], singles: [] }
  if (characters.length === 1) return { pairs: [last], singles: [] }
  const pairs: string[] = []
  for (let i = 1; i < characters.length; i++) pairs.push(`${characters[i - 1]}${characters[i]}`)
  const singles = characters.filter((character) => HAN.test(character))
  if (!HAN.test(last)) singles.push(last)
  return { pairs, singles }
}
