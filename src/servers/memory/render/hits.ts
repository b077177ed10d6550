// Renders a page of search hits.
import type { MemoryHits } from '../searching.ts'
import { fenceAttribute, DATA_NOTE } from './fence.ts'
import { preview } from './excerpt.ts'
import { renderMemory, rowChars } from './memories.ts'
import { counted, renderPage } from './page.ts'

const QUESTION_CHARS_MAX = 120

/** @param empty what to do when nothing was found */
export function renderHits(
  hits: MemoryHits,
  question: string,
  empty = 'Try fewer or other words, or drop a filter.',
): string {
  const { memories, page } = hits
  const asked = `"${fenceAttribute(preview(question, QUESTION_CHARS_MAX))}"`
  const notice = page.notice === undefined ? '' : ` ${page.notice}`
  if (memories.length === 0) return `No memory found for ${asked}. ${empty}${notice}`
  const parts = page.legs.includes('substring') ? ' (no whole word matched; parts of words did)' : ''
  const atLeast = page.complete ? '' : 'at least '
  const head = `Found ${atLeast}${counted(page.total, 'memory', 'memories')} for ${asked}${parts}, best first. ${DATA_NOTE}${notice}`
  const charsMax = rowChars(memories.length)
  return renderPage(
    head,
    memories.map((memory) => renderMemory(memory, question, charsMax)),
    page.next,
  )
}
