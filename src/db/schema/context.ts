// The sections of crow.md, and the changes of them that wait for the owner. A section may be overridden for a device, a
// project, or a device within a project; each of the four scopes has its own uniqueness, because NULLs never collide in a
// plain unique index.
import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

type Columns = Readonly<Record<'sectionKey' | 'deviceId' | 'projectId', AnySQLiteColumn>>

/** One row per key in each scope. */
const oncePerScope = (name: string, { sectionKey, deviceId, projectId }: Columns) => [
  uniqueIndex(`${name}_global`)
    .on(sectionKey)
    .where(sql`device_id IS NULL AND project_id IS NULL`),
  uniqueIndex(`${name}_device`)
    .on(sectionKey, deviceId)
    .where(sql`device_id IS NOT NULL AND project_id IS NULL`),
  uniqueIndex(`${name}_project`)
    .on(sectionKey, projectId)
    .where(sql`device_id IS NULL AND project_id IS NOT NULL`),
  uniqueIndex(`${name}_device_project`)
    .on(sectionKey, deviceId, projectId)
    .where(sql`device_id IS NOT NULL AND project_id IS NOT NULL`),
]

/** Only what serves: a change that waits is no part of it. */
export const contextSections = sqliteTable(
  'context_sections',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    sectionKey: text('section_key').notNull(),
    sectionTitle: text('section_title').notNull(),
    content: text('content').notNull(),
    sortOrder: integer('sort_order').notNull().default(100),
    enabled: integer('enabled', { mode: 'boolean' }).notNull().default(true),
    deviceId: text('device_id'),
    projectId: integer('project_id'),
    updatedAt: integer('updated_at').notNull(),
    version: integer('version').notNull().default(1),
  },
  (table) => [
    check('context_sections_enabled', sql`${table.enabled} IN (0, 1)`),
    check('context_sections_key', sql`${table.sectionKey} <> ''`),
    ...oncePerScope('context_sections', table),
    index('context_sections_order').on(table.sortOrder, table.id),
  ],
)

/** One waiting change per section. It is never altered: another wish replaces it under a new number, so that a yes is to what was shown. */
export const contextProposals = sqliteTable(
  'context_proposals',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    action: text('action', { enum: ['add', 'update', 'delete'] }).notNull(),
    sectionKey: text('section_key').notNull(),
    deviceId: text('device_id'),
    projectId: integer('project_id'),
    /** The section as it would be; of a deletion, as it is. */
    sectionTitle: text('section_title').notNull(),
    content: text('content').notNull(),
    sortOrder: integer('sort_order').notNull(),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    /** The section that it was made from; null for a new one. No reference: a section may go before its change is looked at. */
    sectionId: integer('section_id'),
    sectionVersion: integer('section_version'),
    /** Who wishes it, as in the audit trail. */
    caller: text('caller').notNull(),
    client: text('client'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    check('context_proposals_action', sql`${table.action} IN ('add', 'update', 'delete')`),
    check('context_proposals_enabled', sql`${table.enabled} IN (0, 1)`),
    check('context_proposals_base', sql`(${table.action} = 'add') = (${table.sectionId} IS NULL)`),
    ...oncePerScope('context_proposals', table),
  ],
)
