// English stems: irregular forms by table, the rest by the Porter2 rules (M. F. Porter, "The English (Porter2) stemming algorithm").

import { irregularEnglish } from './english-irregular.ts'

const VOWEL = 'aeiouy'
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt'])
const LI_ENDING = 'cdeghkmnrt'

const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word): [string, string] => [word, word]),
])
const WHOLE_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

type Rules = readonly (readonly [suffix: string, replacement: string])[]

const STEP2: Rules = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]
const STEP3: Rules = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic'.split(' ')

const isVowel = (word: string, at: number): boolean => VOWEL.includes(word.charAt(at)) && word.charAt(at) !== ''

/** Index after the first consonant that follows a vowel, from `start`. */
function regionAfter(word: string, start: number): number {
  let i = start
  while (i < word.length && !isVowel(word, i)) i++
  while (i < word.length && isVowel(word, i)) i++
  return Math.min(i + 1, word.length)
}

function firstRegion(word: string): number {
  for (const prefix of ['gener', 'commun', 'arsen']) if (word.startsWith(prefix)) return prefix.length
  return regionAfter(word, 0)
}

function hasVowel(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (isVowel(word, i)) return true
  return false
}

function endsShort(word: string): boolean {
  const n = word.length
  if (n === 2) return isVowel(word, 0) && !isVowel(word, 1)
  if (n < 3) return false
  return !isVowel(word, n - 3) && isVowel(word, n - 2) && !isVowel(word, n - 1) && !'wxY'.includes(word.charAt(n - 1))
}

/** Upper-case Y stands for y used as a consonant. */
function markConsonantY(word: string): string {
  if (!word.includes('y')) return word
  let out = ''
  for (let i = 0; i < word.length; i++) {
    const letter = word.charAt(i)
    out += letter === 'y' && (i === 0 || isVowel(out, i - 1)) ? 'Y' : letter
  }
  return out
}

function plural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1)
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function pastOrGerund(word: string, r1: number): string {
  for (const suffix of ['eedly', 'eed']) {
    if (word.endsWith(suffix)) return word.length - suffix.length >= r1 ? `${word.slice(0, -suffix.length)}ee` : word
  }
  const suffix = ['ingly', 'edly', 'ing', 'ed'].find((one) => word.endsWith(one))
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  if (!hasVowel(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (DOUBLES.has(stem.slice(-2))) return stem.slice(0, -1)
  return r1 >= stem.length && endsShort(stem) ? `${stem}e` : stem
}

function finalY(word: string): string {
  const n = word.length
  return n > 2 && /[yY]$/.test(word) && !isVowel(word, n - 2) ? `${word.slice(0, -1)}i` : word
}

function replaceIn(word: string, rules: Rules, region: number): string | undefined {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue
    return word.length - suffix.length >= region ? word.slice(0, -suffix.length) + replacement : word
  }
  return undefined
}

function step2(word: string, r1: number): string {
  const replaced = replaceIn(word, STEP2, r1)
  if (replaced !== undefined) return replaced
  if (word.endsWith('logi') && word.length - 3 >= r1) return word.slice(0, -1)
  if (word.endsWith('li') && word.length - 2 >= r1 && LI_ENDING.includes(word.charAt(word.length - 3)))
    return word.slice(0, -2)
  return word
}

function step3(word: string, r1: number, r2: number): string {
  if (word.endsWith('ative')) return word.length - 5 >= r2 ? word.slice(0, -5) : word
  return replaceIn(word, STEP3, r1) ?? word
}

function step4(word: string, r2: number): string {
  const suffix = STEP4.find((one) => word.endsWith(one))
  if (suffix !== undefined) return word.length - suffix.length >= r2 ? word.slice(0, -suffix.length) : word
  return /[st]ion$/.test(word) && word.length - 3 >= r2 ? word.slice(0, -3) : word
}

function step5(word: string, r1: number, r2: number): string {
  const at = word.length - 1
  if (word.endsWith('e') && (at >= r2 || (at >= r1 && !endsShort(word.slice(0, -1))))) return word.slice(0, -1)
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word
}

/** The stem of one folded English word (a-z). `went` → `go`, `researching` → `research`. */
export function stemEnglish(folded: string): string {
  const word = irregularEnglish.get(folded) ?? folded
  if (word.length <= 2) return word
  const exception = EXCEPTIONS.get(word)
  if (exception !== undefined) return exception
  let stem = markConsonantY(word)
  const r1 = firstRegion(stem)
  const r2 = regionAfter(stem, r1)
  stem = plural(stem)
  if (WHOLE_AFTER_PLURAL.has(stem)) return stem
  stem = finalY(pastOrGerund(stem, r1))
  stem = step5(step4(step3(step2(stem, r1), r1, r2), r2), r1, r2)
  return stem.toLowerCase()
}
