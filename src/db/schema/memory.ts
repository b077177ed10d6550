// Memories and what hangs on them: exact tags, embeddings, and the undo log of the one merging tool.
// Times are UTC epoch milliseconds. A deleted memory keeps its row (deleted_at) so that a deletion can be undone.
import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const alive = sql`deleted_at IS NULL`

export const memories = sqliteTable(
  'memories',
  {
    /** What models see. Never reused, so a stale id cannot come to mean another memory. */
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** UUIDv7, what instances exchange. */
    uid: text('uid').notNull().unique(),
    content: text('content').notNull(),
    category: text('category').notNull().default('general'),
    context: text('context'),
    source: text('source'),
    importance: integer('importance').notNull().default(5),
    projectId: integer('project_id'),
    instanceId: text('instance_id'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    accessedAt: integer('accessed_at'),
    accessCount: integer('access_count').notNull().default(0),
    /** Grows by one with each change of content; confirmations and sync are bound to it. */
    version: integer('version').notNull().default(1),
    deletedAt: integer('deleted_at'),
    /** Lamport clock of the last change, for merging between instances. */
    lamport: integer('lamport').notNull().default(0),
  },
  (table) => [
    check('memories_importance', sql`${table.importance} BETWEEN 1 AND 10`),
    check('memories_access_count', sql`${table.accessCount} >= 0`),
    check('memories_version', sql`${table.version} >= 1`),
    // Lists and counts see living memories only, so the indexes hold nothing else.
    index('memories_created').on(table.createdAt, table.id).where(alive),
    index('memories_importance_order').on(table.importance, table.createdAt).where(alive),
    index('memories_accessed').on(table.accessedAt).where(alive),
    index('memories_category').on(table.category, table.createdAt, table.importance).where(alive),
    index('memories_project')
      .on(table.projectId, table.createdAt)
      .where(sql`project_id IS NOT NULL AND deleted_at IS NULL`),
    index('memories_deleted')
      .on(table.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
  ],
)

/** One row per tag, compared byte for byte: `auth` is not `authentication`, `%` is a percent sign. */
export const memoryTags = sqliteTable(
  'memory_tags',
  {
    memoryId: integer('memory_id')
      .notNull()
      .references(() => memories.id, { onDelete: 'cascade' }),
    tag: text('tag').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.memoryId, table.tag] }),
    check('memory_tags_tag', sql`${table.tag} <> ''`),
    index('memory_tags_tag_memory').on(table.tag, table.memoryId),
  ],
)

/** The vector of a memory's current content: little-endian Float32, `dim` of them. */
export const memoryEmbeddings = sqliteTable(
  'memory_embeddings',
  {
    memoryId: integer('memory_id')
      .primaryKey()
      .references(() => memories.id, { onDelete: 'cascade' }),
    model: text('model').notNull(),
    dim: integer('dim').notNull(),
    vector: blob('vector', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    check('memory_embeddings_dim', sql`${table.dim} > 0 AND length(${table.vector}) = ${table.dim} * 4`),
    index('memory_embeddings_model').on(table.model),
  ],
)

/** Each merging run of `dream`, with what is needed to undo it. */
export const dreams = sqliteTable('dreams', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  createdAt: integer('created_at').notNull(),
  caller: text('caller').notNull(),
  undo: text('undo', { mode: 'json' }).$type<unknown>().notNull(),
  undoneAt: integer('undone_at'),
})
