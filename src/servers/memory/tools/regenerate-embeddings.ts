// Embeds memories anew, now instead of in the background.
import { Type } from 'typebox'
import type { Database } from '../../../db/client.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { category as categoryField } from '../fields.ts'
import { findMemories, memoryIds } from '../queries/memories.ts'
import { counted } from '../render/page.ts'

const DEADLINE_MS = 10 * 60_000
const IDS_MAX = 1000

export const regenerateEmbeddings = defineTool({
  name: 'regenerate_embeddings',
  summary: 'Embed memories again',
  description:
    'Make the vectors of memories anew: of the ids given, of a category, or of all. Needed after a change of the embeddings model. Search by words never needs it.',
  input: Type.Object({
    category: categoryField,
    id_list: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), { maxItems: IDS_MAX, description: 'Only these memories' }),
    ),
  }),
  effect: 'write',
  limits: { deadlineMs: DEADLINE_MS },
  examples: [{ category: 'preference' }, { id_list: [1] }],
  async handle(input, ctx) {
    const { semantic } = ctx.ports.searcher
    if (semantic === undefined) {
      return 'Nothing was embedded: no embeddings endpoint is configured. Search by words works without it; the operator can set one (see docs/CONFIG.md).'
    }
    const wanted = selected(ctx.db, input.category, input.id_list)
    if (wanted.length === 0) return 'Nothing to embed: no memory matches.'
    const report = await semantic.embed(wanted, ctx.signal, (done, total) => ctx.progress(done, total))
    const failure =
      report.failed > 0
        ? `, ${report.failed} failed${report.reason === undefined ? '' : `: ${report.reason.replace(/\.$/, '')}`}`
        : ''
    return `Embedded ${report.embedded} of ${counted(report.total, 'memory', 'memories')} with ${semantic.model}${failure}.`
  },
})

function selected(db: Database, category: string | undefined, ids: readonly number[] | undefined): number[] {
  if (ids === undefined) return memoryIds(db, category)
  return findMemories(db, [...new Set(ids)])
    .filter((memory) => category === undefined || memory.category === category)
    .map((memory) => memory.id)
}
