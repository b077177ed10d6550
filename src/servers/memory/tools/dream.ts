// Tends the memory: reports what is stale or said twice, and merges duplicates in one step that can be taken back.
import { Type } from 'typebox'
import type { ToolContext } from '../../../runtime/context.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { duplicatePairs } from '../duplicate-pairs.ts'
import { dreamMissing } from '../faults.ts'
import { flag } from '../fields.ts'
import { planMerges } from '../policy/merging.ts'
import { mergeGroups, newestIds, undoMerge } from '../queries/dreams.ts'
import { findMemories } from '../queries/memories.ts'
import { renderMerge, renderReport, renderUndo } from '../render/dream.ts'
import { survey } from '../survey.ts'

const DAY_MS = 86_400_000
const EXAMINED_MAX = 2000
const STALE_MAX = 20
const DEADLINE_MS = 5 * 60_000

export const dream = defineTool({
  name: 'dream',
  summary: 'Tend the memory',
  description:
    'Report what is stale or stored twice; changes nothing. With dry_run: false, duplicates are merged: the better one stays, with all tags and the highest importance. The reply names a number that undo takes the merge back with, within 30 days.',
  input: Type.Object({
    stale_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3650, default: 30, description: 'Not read and not changed for so long' }),
    ),
    low_importance_threshold: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'Only this important or less counts as stale' }),
    ),
    dry_run: flag(true, 'false merges duplicates'),
    undo: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of the merge to take back; nothing else is done' }),
    ),
  }),
  effect: 'write',
  limits: { activeMax: 1, deadlineMs: DEADLINE_MS },
  examples: [{}, { stale_days: 90, low_importance_threshold: 2 }, { dry_run: false }],
  async handle(input, ctx) {
    if (input.undo !== undefined) return undo(ctx, input.undo)
    const now = ctx.clock.now()
    const ids = newestIds(ctx.db, EXAMINED_MAX)
    const { pairs, memories } = await duplicatePairs(ctx, ids)
    const groups = planMerges(memories, pairs)
    if (input.dry_run === false) {
      const done =
        groups.length === 0 ? undefined : await ctx.db.write(() => mergeGroups(ctx.db, groups, ctx.caller.id, now))
      return renderMerge(done)
    }
    const rule = {
      before: now - (input.stale_days ?? 30) * DAY_MS,
      importanceMax: input.low_importance_threshold ?? 3,
    }
    const { categories, stale } = await survey(ctx, rule, STALE_MAX)
    const texts = new Map(
      findMemories(
        ctx.db,
        stale.map(({ id }) => id),
      ).map(({ id, content }) => [id, content]),
    )
    return renderReport({
      categories,
      stale: stale.map((vital) => ({ ...vital, content: texts.get(vital.id) ?? '' })),
      groups,
      pairs,
      memories,
      examined: ids.length,
      now,
    })
  },
})

async function undo(ctx: ToolContext, id: number) {
  const done = await ctx.db.write(() => undoMerge(ctx.db, id, ctx.clock.now()))
  return done === undefined ? dreamMissing(id) : renderUndo(done)
}
