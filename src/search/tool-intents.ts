// What kind of thing a tool does, and what kind a question asks for: whoever asks "which" wants nothing deleted.

import { english } from './tool-tables.ts'
import { NOUNS } from './tool-words.ts'
import { wordsOf } from './words.ts'

/** A data table: kinds of deeds and the verbs of each; a verb may be of several. */
const INTENTS = {
  read: `get list show read view search find fetch retrieve check query describe count stat stats statistics status lookup recall see display browse open
    history preview inspect explain log info diff look seek locate review know say happen contain tell download export summary listen compare snapshot explore monitor google hunt dig verify prove confirm validate test belong need take which what who where when how any whose why`,
  make: `create add make write new insert register generate draft compose build start begin propose record import put upload store save append attach
    note jot draw paint plan schedule book open push commit enrol subscribe follow connect invite save keep remember set place enter stage produce prepare file fork copy clone remind need want`,
  remove: `delete remove erase clear drop revoke cancel unpublish dismiss archive unsubscribe forget close stop end reset destroy uninstall withdraw
    discard hide purge trash wipe unlink detach disconnect disable unplug retire kick hang quit shut terminate leave unfollow unstage prune lock turn_off rid throw away`,
  change: `update edit set change modify rename move correct fix replace transpose reorder mark enable turn_on adjust alter revise rewrite raise lower increase
    assign transfer switch checkout toggle merge convert translate format sort snooze postpone pause resume customize patch configure make put turn dim tick complete promote verify
    activate trigger promote resize refresh sync repair approve accept publish unpublish close archive star bookmark like reschedule lock unlock`,
  send: `send post share publish reply message react notify invite comment answer tell forward mail submit give pass write push let call propose deliver respond alert say remark say`,
  act: `run execute press click type fill select choose play pause stop start skip scroll navigate go visit hover drag wait trigger activate turn_on turn_off launch
    rerun restart accept approve merge evaluate open close enter hit set put tap`,
} as const

export type Intent = keyof typeof INTENTS

interface Deeds {
  /** By the stem of the verb. */
  readonly intents: ReadonlyMap<string, ReadonlySet<Intent>>
  readonly nouns: ReadonlySet<string>
}

function readDeeds(): Deeds {
  const intents = new Map<string, Set<Intent>>()
  for (const [intent, verbs] of Object.entries(INTENTS)) {
    for (const verb of verbs.split(/\s+/)) {
      const key = english(verb)
      const known = intents.get(key) ?? new Set()
      intents.set(key, known)
      if (isIntent(intent)) known.add(intent)
    }
  }
  return { intents, nouns: new Set(NOUNS.split(/[\s;]+/).map(english)) }
}

let made: Deeds | undefined

function deeds(): Deeds {
  made ??= readDeeds()
  return made
}

function isIntent(name: string): name is Intent {
  return name in INTENTS
}

/** Of words that are a noun as often as a verb ("post", "file") only the first counts: "file a bug", not "list the files". */
export function intentsOfQuestion(stems: readonly string[]): ReadonlySet<Intent> {
  const { intents, nouns } = deeds()
  const found = new Set<Intent>()
  stems.forEach((one, place) => {
    if (place === 0 || !nouns.has(one)) for (const intent of intents.get(one) ?? []) found.add(intent)
  })
  return found
}

interface NamedTool {
  readonly name: string
  readonly summary: string
  readonly description: string
}

const NAME_CHARS_MAX = 200
const NONE: ReadonlySet<Intent> = new Set()
const READ: ReadonlySet<Intent> = new Set(['read'])

function stemsOf(text: string): string[] {
  const words = wordsOf(text.slice(0, NAME_CHARS_MAX)).filter(({ kind }) => kind !== 'whole')
  return words.map(({ text: word }) => english(word))
}

/** What only tells: "sharing status" shares nothing. */
const TOLD = new Set(['status', 'stats', 'statist', 'info', 'histori', 'log', 'preview', 'summari', 'inbox', 'list'])

/** By the first verb of the name and by what the summary says beside it, or else by the word that the description begins with. */
export function intentOfTool({ name, summary, description }: NamedTool): ReadonlySet<Intent> {
  const { intents, nouns } = deeds()
  const named = stemsOf(name)
  if (TOLD.has(named.at(-1) ?? '')) return READ
  const verbs = named.filter((one) => intents.has(one))
  const said = stemsOf(summary).filter((_one, place, all) => place === 0 || all[place - 1] === 'or')
  const deed = verbs.find((one) => !nouns.has(one)) ?? verbs[0]
  const found = new Set([deed ?? '', ...said].flatMap((one) => [...(intents.get(one) ?? [])]))
  return found.size > 0 ? found : (intents.get(stemsOf(description)[0] ?? '') ?? NONE)
}
