// Recalls what is known about a situation: every word of it counts, the rarest most.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { cursor, flag, instanceId, limit, projectId, question } from '../fields.ts'
import { renderHits } from '../render/hits.ts'
import { queryMemories } from '../searching.ts'

/** Memories of this source come from exercises, not from the person. */
const EXERCISES = { sql: "r.source IS NOT 'maker-lab'", params: [] }

export const recallByContext = defineTool({
  name: 'recall_by_context',
  summary: 'Recall by situation',
  description:
    'Recall what is known about the situation at hand. Give what the person just said or what you are about to do, in their words. Good as the first call of a session.',
  input: Type.Object({
    context: question(2000, 'The situation in words; all of them count'),
    limit: limit(100, 5),
    cursor,
    instance_id: instanceId,
    project_id: projectId,
    include_maker_lab: flag(false, 'Also memories whose source is maker-lab'),
  }),
  effect: 'read',
  examples: [{ context: 'Ana asks me to deploy the blog on Friday afternoon' }],
  async handle(input, ctx) {
    const hits = await queryMemories(ctx, {
      text: input.context,
      filter: { instanceId: input.instance_id, projectId: input.project_id },
      limit: input.limit ?? 5,
      cursor: input.cursor,
      extra: input.include_maker_lab === true ? [] : [EXERCISES],
    })
    return renderHits(hits, input.context, 'Nothing is known about this yet.')
  },
})
