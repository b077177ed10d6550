// Tends the memory: reports what is stale or said twice, and merges duplicates in one step that can be taken back.
import { Type } from 'typebox'
import { DAY_MS } from '../../../lib/time.ts'
import type { ToolContext } from '../../../runtime/context.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { duplicatePairs } from '../duplicate-pairs.ts'
import { dreamMissing } from '../faults.ts'
import { flag } from '../fields.ts'
import { planMerges, type MergeGroup } from '../policy/merging.ts'
import { mergeGroups, newestIds, undoMerge } from '../queries/dreams.ts'
import { findMemories } from '../queries/memories.ts'
import { renderMerge, renderReport, renderUndo } from '../render/dream.ts'
import { survey } from '../survey.ts'

const EXAMINED_MAX = 2000
const STALE_MAX = 20
/** What one write merges: indexing anew takes its time, and nothing else runs meanwhile. */
const WRITTEN_CHARS = 8000
const WRITTEN_GROUPS = 3
const DEADLINE_MS = 5 * 60_000

export const dream = defineTool({
  name: 'dream',
  summary: 'Tend the memory',
  description:
    'Report what is stale or stored twice; changes nothing. With dry_run: false, duplicates are merged: the better one stays, with all tags and the highest importance. To take it back: undo: <number in the reply>, within 30 days.',
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
    const { pairs, memories, mergeable } = await duplicatePairs(ctx, ids)
    const groups = planMerges(memories, pairs, (_left, _right, pair) => mergeable.has(pair))
    if (input.dry_run === false) return renderMerge(await mergeAll(ctx, groups, now))
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

/** A few groups per write, all in one step that can be taken back. Once begun it is finished: half a merge has no number to undo. */
async function mergeAll(ctx: ToolContext, groups: readonly MergeGroup[], now: number) {
  let step: number | undefined
  const merged: MergeGroup[] = []
  for (const some of pieces(groups)) {
    const done = await ctx.db.write(() => mergeGroups(ctx.db, some, { caller: ctx.caller.id, now, step }))
    step ??= done?.id
    merged.push(...(done?.merged ?? []))
  }
  return step === undefined ? undefined : { id: step, merged }
}

function* pieces(groups: readonly MergeGroup[]): Generator<MergeGroup[]> {
  let piece: MergeGroup[] = []
  let chars = 0
  for (const group of groups) {
    const length = [group.keep, ...group.absorb].reduce(
      (sum, { content, context }) => sum + content.length + (context?.length ?? 0),
      0,
    )
    if (piece.length > 0 && (piece.length === WRITTEN_GROUPS || chars + length > WRITTEN_CHARS)) {
      yield piece
      piece = []
      chars = 0
    }
    piece.push(group)
    chars += length
  }
  if (piece.length > 0) yield piece
}

async function undo(ctx: ToolContext, id: number) {
  const now = ctx.clock.now()
  const sum = { restored: 0, leftAlone: new Array<number>() }
  for (let from = 0; ; from += WRITTEN_GROUPS) {
    const part = await ctx.db.write(() => undoMerge(ctx.db, id, { from, count: WRITTEN_GROUPS, now }))
    if (part === undefined) return dreamMissing(id)
    sum.restored += part.restored
    sum.leftAlone.push(...part.leftAlone)
    if (part.isDone) return renderUndo(sum)
  }
}
