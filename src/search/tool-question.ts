// Reads a question about tools: what it looks for, and whether it asks for an answer or for something to be done.

import { detectLanguage, isStopWord } from './languages.ts'
import type { Language } from './languages.ts'
import { answersWanted } from './tool-answers.ts'
import type { Answer } from './tool-answers.ts'
import { intentsOfQuestion } from './tool-intents.ts'
import type { Intent } from './tool-intents.ts'
import { charsBeforeMatter, FRAMES, SHAPES } from './tool-shapes.ts'
import { english } from './tool-tables.ts'
import { cueOf, isVerb, phrasesIn, phraseTerms, plainTerm, soughtTerm, translated } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'
import { wordsOf } from './words.ts'
import type { Word } from './words.ts'

/** A question is read to here; what tool is meant is said by then. */
const QUESTION_CHARS_MAX = 1000
const QUESTION_WORDS_MAX = 32
/** Words between a verb and its particle: "turn the light in the hall off". */
const PHRASE_GAP_MAX = 5

/** In a question that asks for an answer, verbs tell what was done before. */
const ASKED_VERB_WEIGHT = 0.9
const TOLD_VERB_WEIGHT = 0.5
/** A word inside a turn of speech has mostly lost its own meaning. */
const CONSUMED_WEIGHT = 0.25
/** What a message says, or a search is about, says less of the tool than what is asked. */
const MATTER_SHARE = 0.5
/** What a file, an address or a person is called says little of what is to be done with it. */
const CALLED_WEIGHT = 0.25
const SHAPE_WEIGHT = 0.5

export interface Question {
  readonly terms: readonly SoughtTerm[]
  readonly intents: ReadonlySet<Intent>
  /** Whether it asks for an answer, and for nothing to be done. */
  readonly asks: boolean
  readonly answers: ReadonlySet<Answer>
  /** Words too common to look for, used when there is nothing else. */
  readonly rest: readonly string[]
}

function shapesIn(text: string): SoughtTerm[] {
  return SHAPES.filter(([shape]) => shape.test(text)).map(([, meant]) => {
    const forms = new Map(meant.map((word) => [english(word), 1]))
    return { word: meant.join(' '), own: '', forms, weight: SHAPE_WEIGHT, known: true }
  })
}

/** "The photos I uploaded", "what others sent": told of whom did what, not asked for. */
const SUBJECTS = new Set(['i', 'we', 'they', 'he', 'she', 'others', 'somebody', 'someone', 'people', 'you'])
/** "Can I delete", "should we move": asked for all the same. */
const MODALS = new Set(['can', 'could', 'should', 'may', 'might', 'must', 'would', 'do', 'let'])

/** "The stored documents", "a saved item": what was done to the thing before. */
const DONE = /(?:ed|written|sent|given|chosen|hidden|kept|made)$/

function isTold(words: readonly string[], place: number): boolean {
  if (place > 0 && place < words.length - 1 && DONE.test(words[place] ?? '')) return true
  const subject = words[place - 1] ?? ''
  if (!SUBJECTS.has(subject) || MODALS.has(words[place - 2] ?? '')) return false
  const word = words[place] ?? ''
  return subject !== 'you' || (english(word) !== word && !word.endsWith('s'))
}

const READING: ReadonlySet<Intent> = new Set(['read'])
/** How questions begin that want to know something: the verbs in them say what was done, not what to do. */
const ASKING =
  /^\W*(?:which|what|who|whose|where|when|is|are|am|was|were|did|does|do (?!not|n't)|has|have|had|any|how (?:many|much|often|long|far|big|large|full|warm|cold|hot|is|are|was|did|does)|qu[eé]|cu[aá]l(?:es)?|qui[eé]n(?:es)?|d[oó]nde|cu[aá]ndo|cu[aá]nt[oa]s?|hay|welche[rsnm]?|was|wer|wo|wann|wie(?: viele?)?|gibt) /i

/** Asks how something is done, or with what. */
const ASKING_HOW =
  /\b(?:tools?|functions?|commands?|way to|possible to|used? to|how to|(?:can|could|should|would) (?:i|we|you)|lets? me|should be)\b/i

const asksForAnswer = (text: string): boolean => ASKING.test(text) && !ASKING_HOW.test(text)

/** The words of a question and what they are to one another. */
interface Reading {
  readonly words: readonly string[]
  readonly language: Language
  readonly asks: boolean
  /** Places of words that belong to a turn of speech. */
  readonly consumed: ReadonlySet<number>
  /** Places of words that are a piece of what something is called: `report.pdf`, `https://…`, `~/notes`. */
  readonly called: ReadonlySet<number>
  /** From this place on it is said what the thing is about, not what to do. */
  readonly matter: number
}

const plainWords = (found: readonly Word[]): string[] =>
  found
    .filter(({ kind }) => kind !== 'whole')
    .slice(0, QUESTION_WORDS_MAX)
    .map((word) => word.text)

/** Where nothing is asked before the matter, it is the question. */
function matterOf(asked: string, language: Language): number {
  const before = plainWords(wordsOf(asked.slice(0, charsBeforeMatter(asked))))
  return before.every((word) => isCommon(word, language)) ? Infinity : before.length
}

const CALLED = /[./@~\\]/

function calledPlaces(found: readonly Word[]): Set<number> {
  const places = new Set<number>()
  let place = 0
  let inside = false
  for (const { text, kind } of found) {
    if (kind !== 'part') inside = kind === 'whole' && CALLED.test(text)
    if (kind === 'whole') continue
    if (inside) places.add(place)
    place++
  }
  return places
}

/** "Don't", "never", "no longer": said in many ways, and one word for the turns of speech. */
const NOT = new Set(['don', 'dont', 'doesn', 'didn', 'isn', 'aren', 'won', 'never', 'cannot', 'shouldn', 'not'])
const plainly = (word: string): string => (NOT.has(word) ? 'not' : english(word))

const isCommon = (word: string, language: Language): boolean =>
  isStopWord(word, 'en') || (language !== 'en' && isStopWord(word, language))

/** How much a word counts for its place in the question. */
function weightAt({ words, asks, consumed, called }: Reading, place: number, { own, weight }: SoughtTerm): number {
  if (consumed.has(place)) return CONSUMED_WEIGHT
  if (called.has(place)) return CALLED_WEIGHT
  if (!isVerb(own)) return weight
  if (isTold(words, place)) return weight * TOLD_VERB_WEIGHT
  return asks ? weight * ASKED_VERB_WEIGHT : weight
}

/**
 * What a question looks for.
 * @param isTerm whether a term stands in the index: such a word is not taken for one of another language
 */
export function readQuestion(text: string, isTerm: (term: string) => boolean): Question {
  const sample = text.slice(0, QUESTION_CHARS_MAX).toWellFormed()
  const asked = sample.replace(FRAMES, ' ')
  const found = wordsOf(asked)
  const wholes = found.filter(({ kind }) => kind === 'whole').slice(0, QUESTION_WORDS_MAX)
  const words = plainWords(found)
  const phrases = phrasesIn(words.map(plainly), PHRASE_GAP_MAX)
  const language = detectLanguage(words, sample)
  const asks = asksForAnswer(sample)
  const consumed = new Set(phrases.flatMap(({ places }) => places))
  const reading = { words, language, asks, consumed, called: calledPlaces(found), matter: matterOf(asked, language) }
  const terms = new Map<string, SoughtTerm>()
  const put = (key: string, term: SoughtTerm): void => {
    if ((terms.get(key)?.weight ?? 0) < term.weight) terms.set(key, term)
  }
  for (const shape of shapesIn(sample)) put(`?${shape.word}`, shape)
  for (const phrase of phrases) {
    const share = (phrase.places[0] ?? 0) >= reading.matter ? MATTER_SHARE : 1
    for (const term of phraseTerms(phrase))
      put(term.own === '' ? `=${term.word}` : term.own, { ...term, weight: term.weight * share })
  }
  for (const { text: whole } of wholes) put(whole, { ...plainTerm(whole), own: whole, forms: new Map([[whole, 1]]) })
  words.forEach((word, place) => {
    if (!isCommon(word, language)) {
      const term = soughtTerm(word, language, isTerm)
      put(term.own, { ...term, weight: weightAt(reading, place, term) * (place >= reading.matter ? MATTER_SHARE : 1) })
      return
    }
    const cue = reading.consumed.has(place) ? undefined : cueOf(word)
    if (cue !== undefined) put(`?${word}`, cue)
  })
  const deeds = [
    ...phrases.filter(({ places: [first = 0] }) => first < reading.matter).flatMap(({ meant }) => meant),
    ...deedsOf(reading, isTerm),
  ]
  return {
    terms: [...terms.values()],
    rest: words.filter((word) => isCommon(word, language)),
    intents: asks ? READING : intentsOfQuestion(deeds),
    asks,
    answers: answersWanted(sample),
  }
}

/** The words that may say what is to be done, in English. */
function deedsOf({ words, language, consumed, called, matter }: Reading, isTerm: (term: string) => boolean): string[] {
  return words.flatMap((word, place) => {
    if (place >= matter || consumed.has(place) || called.has(place) || isTold(words, place)) return []
    const own = english(word)
    return language === 'en' && isTerm(own) ? [own] : [own, ...translated(word, language)]
  })
}
