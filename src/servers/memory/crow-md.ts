// Composes crow.md from what is stored: merged sections, and the overview of a scope.
import type { Database } from '../../db/client.ts'
import { mergeSections, type Scope } from './policy/sections.ts'
import { countByCategory, memoryPage } from './queries/memories.ts'
import { sectionsFor } from './queries/sections.ts'
import { renderCrowMd, type Overview, type Platform } from './render/crow-md.ts'

const PREFERENCES_MAX = 10
const IMPORTANT_MAX = 5
const IMPORTANT_FROM = 8

export interface CrowMdRequest {
  readonly scope: Scope
  readonly platform: Platform
  /** Whether the overview of what is known is part of it. */
  readonly dynamic: boolean
}

/** The document as markdown. It depends on stored state only, so the same state gives the same bytes. */
export function composeCrowMd(db: Database, { scope, platform, dynamic }: CrowMdRequest): string {
  const overview = dynamic ? overviewOf(db, scope.projectId ?? undefined) : undefined
  return renderCrowMd(mergeSections(sectionsFor(db, scope)), platform, overview)
}

function overviewOf(db: Database, projectId: number | undefined): Overview {
  const categories = countByCategory(db, { projectId })
  const preferences = memoryPage(db, {
    filter: { projectId, category: 'preference', importanceMin: IMPORTANT_FROM },
    order: 'importance',
    limit: PREFERENCES_MAX,
    after: undefined,
  })
  const shown = new Set(preferences.rows.map((memory) => memory.id))
  const important = memoryPage(db, {
    filter: { projectId, importanceMin: IMPORTANT_FROM },
    order: 'recent',
    limit: IMPORTANT_MAX + PREFERENCES_MAX,
    after: undefined,
  })
  return {
    total: categories.reduce((sum, { count }) => sum + count, 0),
    categories,
    preferences: preferences.rows.map(({ id, content }) => ({ id, content })),
    important: important.rows.filter((memory) => !shown.has(memory.id)).slice(0, IMPORTANT_MAX),
  }
}
