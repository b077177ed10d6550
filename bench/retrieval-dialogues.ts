// Dialogues with questions whose answers are known, and how well a list of found turns answers one. A folder holds pairs of
// tab-separated files:  NAME.turns.tsv  turn id, session, date, speaker, text     NAME.qa.tsv  category, question, turn ids

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Turn {
  /** Unique among all dialogues: the dialogue's name and the turn's id. */
  readonly key: string
  /** The dialogue's name and the session. */
  readonly session: string
  readonly date: string
  /** `Speaker: what was said`. */
  readonly content: string
}

export interface Question {
  readonly category: string
  readonly text: string
  /** Keys of the turns that answer it. */
  readonly evidence: ReadonlySet<string>
  /** Sessions of these turns. */
  readonly sessions: ReadonlySet<string>
}

export interface Dialogue {
  readonly name: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

/** Questions that have an answer in the dialogue; the fifth category asks for what was never said. */
const ANSWERED = new Set(['1', '2', '3', '4'])

function lines(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t'))
}

function readDialogue(folder: string, name: string): Dialogue {
  const turns = lines(join(folder, `${name}.turns.tsv`)).map(
    ([id = '', session = '', date = '', speaker = '', ...text]): Turn => ({
      key: `${name}:${id}`,
      session: `${name}:${session}`,
      date,
      content: `${speaker}: ${text.join(' ')}`,
    }),
  )
  const sessionOf = new Map(turns.map((turn) => [turn.key, turn.session]))
  const questions = lines(join(folder, `${name}.qa.tsv`)).map(([category = '', text = '', ids = '']): Question => {
    const keys = ids.split(/[\s,;]+/).map((id) => `${name}:${id}`)
    const evidence = new Set(keys.filter((key) => sessionOf.has(key)))
    return { category, text, evidence, sessions: new Set([...evidence].map((key) => sessionOf.get(key) ?? '')) }
  })
  return {
    name,
    turns,
    questions: questions.filter(({ category, evidence }) => ANSWERED.has(category) && evidence.size > 0),
  }
}

/** All dialogues of a folder by name. Only questions of the categories 1 to 4 that name at least one turn of the dialogue count. */
export function readDialogues(folder: string): Dialogue[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.turns.tsv'))
    .map((file) => file.slice(0, -'.turns.tsv'.length))
  return names.toSorted().map((name) => readDialogue(folder, name))
}

/** Sums over questions; divide by `questions`. */
export interface Tally {
  questions: number
  /** Share of the evidence among the first five, and the first ten. */
  recall5: number
  recall10: number
  /** Questions with a turn of a right session among the first five. */
  session5: number
}

function share(found: readonly Turn[], evidence: ReadonlySet<string>): number {
  return found.filter((turn) => evidence.has(turn.key)).length / evidence.size
}

/** Adds one answered question to the tally of each key. */
export function count(
  tallies: Map<string, Tally>,
  keys: readonly string[],
  found: readonly Turn[],
  question: Question,
): void {
  for (const key of keys) {
    const tally = tallies.get(key) ?? { questions: 0, recall5: 0, recall10: 0, session5: 0 }
    tallies.set(key, tally)
    tally.questions++
    tally.recall5 += share(found.slice(0, 5), question.evidence)
    tally.recall10 += share(found.slice(0, 10), question.evidence)
    if (found.slice(0, 5).some((turn) => question.sessions.has(turn.session))) tally.session5++
  }
}
