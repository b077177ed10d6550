// Russian stems by the Snowball rules (M. F. Porter), over folded words (ё as е). Any Cyrillic word takes this path.

const VOWELS = 'аеиоуыэюя'

const PERFECTIVE_AFTER_A = ['вшись', 'вши', 'в']
const PERFECTIVE = ['ившись', 'ывшись', 'ивши', 'ывши', 'ив', 'ыв']
const REFLEXIVE = ['ся', 'сь']
const ADJECTIVE = 'ими ыми его ого ему ому ее ие ые ое ей ий ый ой ем им ым ом их ых ую юю ая яя ою ею'.split(' ')
const PARTICIPLE_AFTER_A = ['ем', 'нн', 'вш', 'ющ', 'щ']
const PARTICIPLE = ['ивш', 'ывш', 'ующ']
const VERB_AFTER_A = 'йте ете ешь нно ла на ли ем ло но ет ют ны ть й л н'.split(' ')
const VERB =
  'уйте ейте ила ыла ена ите или ыли ило ыло ено ует уют ены ить ыть ишь ей уй ил ыл им ым ен ят ит ыт ую ю'.split(' ')
const NOUN =
  'иями иях ями ами ией иям ием ям ем ам ом ах ях ев ов ие ье еи ии ей ой ий ию ью ия ья и ы ь ю я о у е а й'.split(' ')

function afterVowel(word: string): number {
  for (let i = 0; i < word.length; i++) if (VOWELS.includes(word.charAt(i))) return i + 1
  return word.length
}

function nextRegion(word: string, start: number): number {
  for (let i = start; i < word.length - 1; i++) {
    if (VOWELS.includes(word.charAt(i)) && !VOWELS.includes(word.charAt(i + 1))) return i + 2
  }
  return word.length
}

/** Removes the longest suffix that lies in the region; with `afterA`, only behind а or я. */
function drop(word: string, suffixes: readonly string[], region: number, afterA = false): string | undefined {
  for (const suffix of suffixes) {
    const cut = word.length - suffix.length
    if (cut < region || !word.endsWith(suffix)) continue
    if (afterA && (cut - 1 < region || !'ая'.includes(word.charAt(cut - 1)))) continue
    return word.slice(0, cut)
  }
  return undefined
}

function longest(...cut: (string | undefined)[]): string | undefined {
  return cut.filter((one) => one !== undefined).toSorted((a, b) => a.length - b.length)[0]
}

function ending(word: string, rv: number): string {
  const gerund = longest(drop(word, PERFECTIVE, rv), drop(word, PERFECTIVE_AFTER_A, rv, true))
  if (gerund !== undefined) return gerund
  const bare = drop(word, REFLEXIVE, rv) ?? word
  const adjective = drop(bare, ADJECTIVE, rv)
  if (adjective !== undefined) {
    return longest(drop(adjective, PARTICIPLE, rv), drop(adjective, PARTICIPLE_AFTER_A, rv, true)) ?? adjective
  }
  return longest(drop(bare, VERB, rv), drop(bare, VERB_AFTER_A, rv, true)) ?? drop(bare, NOUN, rv) ?? bare
}

/** The stem of one folded Russian word. `собаками` → `собак`. */
export function stemRussian(word: string): string {
  const rv = afterVowel(word)
  const r1 = nextRegion(word, 0)
  const r2 = nextRegion(word, r1)
  let stem = ending(word, rv)
  stem = drop(stem, ['и'], rv) ?? stem
  stem = drop(stem, ['ость', 'ост'], r2) ?? stem
  if (stem.endsWith('нн') && stem.length - 1 >= rv) return stem.slice(0, -1)
  const superlative = drop(stem, ['ейше', 'ейш'], rv)
  if (superlative !== undefined) return superlative.endsWith('нн') ? superlative.slice(0, -1) : superlative
  return drop(stem, ['ь'], rv) ?? stem
}
