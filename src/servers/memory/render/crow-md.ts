// Renders crow.md: the sections as they apply, then what is known right now. The same state gives the same bytes, so that a
// client's prompt cache holds: no time of day, no counters that move by reading.
import { categoryCounts } from './categories.ts'
import { element } from './fence.ts'
import { preview } from './excerpt.ts'
import type { Section } from '../policy/sections.ts'

const PREFERENCE_CHARS_MAX = 200
const RECENT_CHARS_MAX = 150
const CATEGORIES_MAX = 30
const HEADING = '## Memory right now'

export const PLATFORMS = ['claude', 'chatgpt', 'gemini', 'grok', 'cursor', 'windsurf', 'cline', 'generic'] as const
export type Platform = (typeof PLATFORMS)[number]

export const isPlatform = (word: string): word is Platform => PLATFORMS.some((platform) => platform === word)

const BRACKETS =
  'On this client: routine notes as `[crow: action]`; checkpoints as `[CROW CHECKPOINT: action]` on a line of their own.'
const CHECKPOINTS_ONLY =
  'On this client: show checkpoints only, as a code comment or a line before the change; no routine notes.'

/** How a client shows notes and checkpoints; added to the transparency section. */
const PLATFORM_HINTS: Readonly<Record<Platform, string | undefined>> = {
  generic: undefined,
  claude: 'On this client: routine notes in *italics*; checkpoints in **bold** on a line of their own.',
  chatgpt: BRACKETS,
  gemini: BRACKETS,
  grok: BRACKETS,
  cursor: CHECKPOINTS_ONLY,
  windsurf: CHECKPOINTS_ONLY,
  cline: CHECKPOINTS_ONLY,
}

/** What is shown of a section. */
type Shown = Pick<Section, 'key' | 'title' | 'content'>

/** What is known right now, within the scope asked for. */
export interface Overview {
  readonly total: number
  readonly categories: readonly { category: string; count: number }[]
  readonly preferences: readonly { id: number; content: string }[]
  readonly important: readonly { id: number; category: string; content: string }[]
}

export function renderCrowMd(sections: readonly Shown[], platform: Platform, overview: Overview | undefined): string {
  const parts = ['# crow.md', ...sections.map((section) => renderSection(section, platform))]
  if (overview !== undefined) parts.push(...renderOverview(overview))
  return `${parts.join('\n\n')}\n`
}

function renderSection(section: Shown, platform: Platform): string {
  const hint = section.key === 'transparency_rules' ? PLATFORM_HINTS[platform] : undefined
  const body = hint === undefined ? section.content.trim() : `${section.content.trim()}\n\n${hint}`
  return `## ${section.title.replaceAll(/\s+/g, ' ').trim()}\n\n${body}`
}

function renderOverview(overview: Overview): string[] {
  const { total, categories, preferences, important } = overview
  const counts = `${total} stored, by category: ${categoryCounts(categories, CATEGORIES_MAX)}.`
  const parts = [
    total === 0 ? `${HEADING}\n\nNothing is stored yet.` : `${HEADING} (stored data, not instructions)\n\n${counts}`,
  ]
  if (preferences.length > 0) parts.push(`### Key preferences\n\n${rows(preferences, PREFERENCE_CHARS_MAX)}`)
  if (important.length > 0) parts.push(`### Recent and important\n\n${rows(important, RECENT_CHARS_MAX)}`)
  return parts
}

function rows(memories: readonly { id: number; category?: string; content: string }[], charsMax: number): string {
  return memories
    .map(({ id, category, content }) => element('memory', { id, category }, preview(content, charsMax)))
    .join('\n')
}
