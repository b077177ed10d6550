// The memory server: what an AI client remembers, how it should behave, and what it reminds of.
import type { AuditLog } from '../../db/audit.ts'
import { defineServer } from '../../runtime/server.ts'
import type { Searcher } from '../../search/searcher.ts'
import { prompts } from './prompts.ts'
import { resources } from './resources.ts'
import { memorySearchable } from './searchable.ts'
import { addContextSection } from './tools/add-context-section.ts'
import { checkNotifications } from './tools/check-notifications.ts'
import { createNotification } from './tools/create-notification.ts'
import { createSchedule } from './tools/create-schedule.ts'
import { deepRecall } from './tools/deep-recall.ts'
import { deleteContextSection } from './tools/delete-context-section.ts'
import { deleteMemory } from './tools/delete-memory.ts'
import { dismissAllNotifications } from './tools/dismiss-all-notifications.ts'
import { dismissNotification } from './tools/dismiss-notification.ts'
import { dream } from './tools/dream.ts'
import { getContext } from './tools/get-context.ts'
import { getMemory } from './tools/get-memory.ts'
import { listContextSections } from './tools/list-context-sections.ts'
import { listMemories } from './tools/list-memories.ts'
import { listSchedules } from './tools/list-schedules.ts'
import { memoryStats } from './tools/memory-stats.ts'
import { notificationSettings } from './tools/notification-settings.ts'
import { recallByContext } from './tools/recall-by-context.ts'
import { regenerateEmbeddings } from './tools/regenerate-embeddings.ts'
import { searchMemories } from './tools/search-memories.ts'
import { storeMemory } from './tools/store-memory.ts'
import { updateContextSection } from './tools/update-context-section.ts'
import { updateMemory } from './tools/update-memory.ts'
import { updateSchedule } from './tools/update-schedule.ts'

declare module '../../runtime/context.ts' {
  interface Ports {
    /** Finds memories by words and, where configured, by meaning. */
    readonly searcher: Searcher
    /** IANA zone in which cron expressions are read. */
    readonly timeZone: string
    /** The device whose section overrides apply when a caller names none. */
    readonly deviceId: string | null
    /** Whether a change of crow.md by a tool waits for the owner. Absent: it does. */
    readonly contextWrites: 'approve' | 'free'
    /** Where it is written down what the owner decided about crow.md. */
    readonly audit?: Pick<AuditLog, 'access'>
  }
}

export const memoryServer = defineServer({
  id: 'memory',
  mount: '/memory',
  aliases: ['/'],
  title: 'Memory',
  summary: 'Memory shared by every AI client: store, search, recall; crow.md; reminders and notifications.',
  tools: [
    storeMemory,
    searchMemories,
    recallByContext,
    deepRecall,
    getMemory,
    listMemories,
    updateMemory,
    deleteMemory,
    memoryStats,
    regenerateEmbeddings,
    dream,
    getContext,
    updateContextSection,
    addContextSection,
    listContextSections,
    deleteContextSection,
    createSchedule,
    listSchedules,
    updateSchedule,
    checkNotifications,
    createNotification,
    dismissNotification,
    dismissAllNotifications,
    notificationSettings,
  ],
  resources,
  prompts,
  searchables: [memorySearchable],
})
