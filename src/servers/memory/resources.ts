// The resources of the memory server: crow.md, and how many memories each category holds.
import type { Database } from '../../db/client.ts'
import type { Resource } from '../../runtime/server.ts'
import { composeCrowMd } from './crow-md.ts'
import type { Scope } from './policy/sections.ts'
import { scopeHere } from './reading.ts'
import { countByCategory } from './queries/memories.ts'

export const CONTEXT_URI = 'crow://context'
export const CATEGORIES_URI = 'memory://categories'

export const resources: readonly Resource[] = [
  {
    uri: CONTEXT_URI,
    name: 'context',
    title: 'crow.md',
    description: 'How this person wants to be served, and what is known right now. Markdown.',
    mimeType: 'text/markdown',
    subscribable: true,
    read: (ctx) => ({ text: contextText(ctx.db, scopeHere(ctx)) }),
  },
  {
    uri: CATEGORIES_URI,
    name: 'categories',
    title: 'Categories of memories',
    description: 'How many memories each category holds, most first. JSON.',
    mimeType: 'application/json',
    subscribable: true,
    read: ({ db }) => ({ text: categoriesText(db) }),
  },
]

/** crow.md as `crow://context` shows it. */
export function contextText(db: Database, scope: Scope): string {
  return composeCrowMd(db, { scope, platform: 'generic', dynamic: true })
}

/** `[{ "category": "general", "count": 3 }]` */
export function categoriesText(db: Database): string {
  return JSON.stringify(countByCategory(db))
}
