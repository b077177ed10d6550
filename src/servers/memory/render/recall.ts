// Renders what several stores answered to one topic.
import type { SearchableHit } from '../../../runtime/context.ts'
import { DATA_NOTE, element, fenceAttribute } from './fence.ts'
import { excerpt, preview } from './excerpt.ts'
import { rowChars } from './memories.ts'
import { counted } from './page.ts'
import { isoTime } from './time.ts'

export type StoreAnswer =
  | { readonly store: string; readonly hits: readonly SearchableHit[]; readonly failed?: never }
  | { readonly store: string; readonly hits?: never; readonly failed: true }

const QUESTION_CHARS_MAX = 120

export function renderRecall(topic: string, answers: readonly StoreAnswer[], absent: readonly string[]): string {
  const total = answers.reduce((sum, answer) => sum + (answer.hits?.length ?? 0), 0)
  const failed = answers.filter((answer) => answer.failed).map((answer) => answer.store)
  const searched = answers.filter((answer) => !answer.failed).map((answer) => answer.store)
  const head = [
    `${counted(total, 'hit')} for "${fenceAttribute(preview(topic, QUESTION_CHARS_MAX))}".`,
    searched.length > 0 && `Searched: ${searched.join(', ')}.`,
    failed.length > 0 && `Failed: ${failed.join(', ')}.`,
    absent.length > 0 && `Not here: ${absent.map((store) => JSON.stringify(store)).join(', ')}.`,
    total > 0 && DATA_NOTE,
  ]
  const charsMax = rowChars(total)
  const blocks = answers.flatMap((answer) =>
    (answer.hits ?? []).map((hit) => renderHit(searched.length === 1 ? undefined : answer.store, hit, topic, charsMax)),
  )
  return [head.filter((part) => part !== false).join(' '), ...blocks].join('\n')
}

/** @param store absent where every hit is of the one that the head names */
function renderHit(store: string | undefined, hit: SearchableHit, topic: string, charsMax: number): string {
  const { text, cut } = excerpt(hit.text, topic, charsMax)
  const attributes = {
    store,
    id: hit.id,
    title: hit.text.startsWith(hit.title.replace(/…$/, '')) ? undefined : hit.title,
    created: hit.at === undefined ? undefined : isoTime(hit.at),
    uri: hit.uri,
    excerpt: cut ? `${hit.text.length} characters in full` : undefined,
  }
  return element('item', attributes, text)
}
