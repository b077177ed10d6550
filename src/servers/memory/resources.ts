// The resources of the memory server: crow.md, how many memories each category holds, and what lists of tools weighed.
import type { Database } from '../../db/client.ts'
import { readLedger } from '../../db/context-ledger.ts'
import type { ToolContext } from '../../runtime/context.ts'
import { dayOf } from '../../runtime/ledger/tally.ts'
import type { Resource } from '../../runtime/server.ts'
import { composeCrowMd } from './crow-md.ts'
import type { Scope } from './policy/sections.ts'
import { scopeHere } from './reading.ts'
import { countByCategory } from './queries/memories.ts'
import { renderLedger } from './render/ledger.ts'

export const CONTEXT_URI = 'crow://context'
export const CATEGORIES_URI = 'memory://categories'
const LEDGER_URI = 'crow://ledger'
const LEDGER_DAYS = 7

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
  {
    uri: LEDGER_URI,
    name: 'ledger',
    title: 'Context ledger',
    description: 'What lists of tools cost this client in the last days, and what the router spared or cost it. Text.',
    mimeType: 'text/plain',
    read: (ctx) => ({ text: ledgerText(ctx) }),
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

/** The last days of this client; of all of them for whoever may do everything, which is the owner. */
function ledgerText({ caller, clock, db }: ToolContext): string {
  const today = dayOf(clock.now())
  const since = today - LEDGER_DAYS + 1
  const lines = readLedger(db, { since, caller: caller.scopes === 'all' ? undefined : caller.id })
  return renderLedger(lines, { today, days: LEDGER_DAYS })
}
