// What the tools and prompts of an external server are called here: `<id>_<name>`, and nothing else decides it. A name never
// depends on which other servers there are, on their order, or on what was called something before.
import { sha256Hex } from '../lib/hashing.ts'

/** What model providers take as the name of a tool. */
export const PUBLIC_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const PUBLIC_CHARS_MAX = 64
const HASH_CHARS = 8
/** Longer ones are no names. The specification recommends 128 at most. */
const ORIGINAL_CHARS_MAX = 1_024
/** Without an underscore, so that the first one of a public name ends the id. */
const SOURCE_ID = /^[a-z][a-z0-9-]{0,30}$/

export const isSourceId = (text: string): boolean => SOURCE_ID.test(text)

/**
 * The name under which a tool or prompt is shown. A hash of id and original name is added exactly when the original had
 * to be altered or the whole is too long.
 */
export function publicName(id: string, original: string): string {
  const plain = `${id}_${original}`
  if (PUBLIC_NAME.test(plain)) return plain
  const hash = sha256Hex(`${id}\0${original}`).slice(0, HASH_CHARS)
  const altered = plain.replaceAll(/[^a-zA-Z0-9_-]/gu, '_')
  return `${altered.slice(0, PUBLIC_CHARS_MAX - HASH_CHARS - 1)}_${hash}`
}

/** The id that a public name begins with; undefined where it begins with none. */
export function sourceOf(name: string): string | undefined {
  const end = name.indexOf('_')
  const id = end === -1 ? '' : name.slice(0, end)
  return isSourceId(id) ? id : undefined
}

export interface RefusedName {
  readonly original: string
  /** One sentence, for the log and the operator. */
  readonly reason: string
}

export interface NamedSource {
  /** Public names by original name, in the order that they came in. */
  readonly names: ReadonlyMap<string, string>
  readonly refused: readonly RefusedName[]
}

/**
 * Names for everything of one kind that a server has. Of names that a reader could take for one another (equal but for
 * case, accents, width or look-alike letters), one is kept: a plain one before one that had to be altered, then the first
 * in the order of code units, whatever order they came in.
 * @param reserved public names that belong to the gateway
 */
export function nameAll(
  id: string,
  originals: readonly string[],
  reserved: ReadonlySet<string> = new Set(),
): NamedSource {
  const refused: RefusedName[] = []
  const refuse = (original: string, reason: string): void => void refused.push({ original: shown(original), reason })
  const kept = new Map<string, string>()
  for (const original of new Set(originals)) {
    if (original === '' || original.length > ORIGINAL_CHARS_MAX)
      refuse(original, `A name has 1 to ${ORIGINAL_CHARS_MAX} characters.`)
    else if (reserved.has(publicName(id, original)))
      refuse(original, `"${publicName(id, original)}" is a name of the gateway itself.`)
    else kept.set(original, publicName(id, original))
  }
  for (const group of Map.groupBy(kept.keys(), skeletonOf).values()) {
    const [first, ...others] = group.toSorted((left, right) => rank(id, left, right))
    for (const other of others) {
      kept.delete(other)
      refuse(other, `It looks like "${shown(first ?? '')}", which the same server has.`)
    }
  }
  return { names: kept, refused }
}

function rank(id: string, left: string, right: string): number {
  const altered = (original: string): number => (PUBLIC_NAME.test(`${id}_${original}`) ? 0 : 1)
  return altered(left) - altered(right) || (left < right ? -1 : 1)
}

/** Letters of other scripts that pass for Latin ones, lower case (a small part of Unicode UTS #39 confusables). */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.freeze({
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ј: 'j',
  ѕ: 's',
  ԁ: 'd',
  һ: 'h',
  к: 'k',
  м: 'm',
  т: 't',
  α: 'a',
  ο: 'o',
  ν: 'v',
  ρ: 'p',
  ι: 'i',
  κ: 'k',
  τ: 't',
  υ: 'u',
  ı: 'i',
  ɡ: 'g',
})

/** Equal for names that look alike. Accents, width, case and everything that is not seen make no difference. */
function skeletonOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
  return Array.from(plain, (letter) => LOOK_ALIKES[letter] ?? letter).join('')
}

const SHOWN_CHARS_MAX = 80

/** A stranger's name in a sentence: nothing in it can move the cursor or hide. */
const shown = (name: string): string =>
  name
    .slice(0, SHOWN_CHARS_MAX)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
