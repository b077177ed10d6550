// The sections of crow.md. A section may be overridden for a device, a project, or a device within a project;
// each of the four scopes has its own uniqueness, because NULLs never collide in a plain unique index.
import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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
    uniqueIndex('context_sections_global')
      .on(table.sectionKey)
      .where(sql`device_id IS NULL AND project_id IS NULL`),
    uniqueIndex('context_sections_device')
      .on(table.sectionKey, table.deviceId)
      .where(sql`device_id IS NOT NULL AND project_id IS NULL`),
    uniqueIndex('context_sections_project')
      .on(table.sectionKey, table.projectId)
      .where(sql`device_id IS NULL AND project_id IS NOT NULL`),
    uniqueIndex('context_sections_device_project')
      .on(table.sectionKey, table.deviceId, table.projectId)
      .where(sql`device_id IS NOT NULL AND project_id IS NOT NULL`),
    index('context_sections_order').on(table.sortOrder, table.id),
  ],
)
