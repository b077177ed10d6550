// Changes one section of crow.md in exactly one scope.
import { Type } from 'typebox'
import type { ToolContext } from '../../../runtime/context.ts'
import { ToolFault } from '../../../runtime/fault.ts'
import { defineTool, type HandlerResult } from '../../../runtime/tool.ts'
import { propose, waits } from '../approval.ts'
import { nothingToChange, sectionMissing } from '../faults.ts'
import { deviceId, requiredName, sectionProject, sortOrder, text } from '../fields.ts'
import { scopeName, scopeOf, type Scope } from '../policy/sections.ts'
import { proposalOf } from '../queries/proposals.ts'
import { changeSection, findSection, type SectionChange } from '../queries/sections.ts'
import { sectionsChanged } from '../section-signal.ts'
import { answeredWish, askOrTell } from '../wished.ts'

export const updateContextSection = defineTool({
  name: 'update_context_section',
  summary: 'Change a crow.md section',
  description:
    'Change a crow.md section: give at least one field. Without device_id and project_id it is the global one; an override is changed only by naming its scope. enabled: false switches it off there.',
  input: Type.Object({
    section_key: requiredName(500, 'From crow_list_context_sections'),
    content: text(50_000, 'Replaces the text, Markdown'),
    section_title: text(500, 'Replaces the heading'),
    enabled: Type.Optional(Type.Boolean()),
    sort_order: sortOrder,
    device_id: deviceId,
    project_id: sectionProject,
  }),
  effect: 'write',
  asks: 'optional',
  serializeBy: (input) => input.section_key,
  examples: [
    { section_key: 'writing_style', content: 'Short sentences. British spelling.' },
    { section_key: 'identity', sort_order: 1 },
  ],
  async handle(input, ctx) {
    const answered = await answeredWish(ctx)
    if (answered !== undefined) return answered
    const { section_key: key, content, section_title: title, enabled, sort_order: order } = input
    const scope = scopeOf(input)
    const change: SectionChange = {
      ...(content !== undefined && { content }),
      ...(title !== undefined && { title }),
      ...(enabled !== undefined && { enabled }),
      ...(order !== undefined && { sortOrder: order }),
    }
    if (Object.keys(change).length === 0) return nothingToChange(['content', 'section_title', 'enabled', 'sort_order'])
    if (waits(ctx)) return wishForUpdate(ctx, key, scope, change)
    const changed = await ctx.db.write(() => changeSection(ctx.db, key, scope, change, ctx.clock.now()))
    if (!changed) return sectionMissing(key, scope)
    sectionsChanged(ctx.db)
    return `Updated: section ${key} (${scopeName(scope)}).`
  },
})

/** A further wish builds on the one that waits. */
async function wishForUpdate(
  ctx: ToolContext,
  key: string,
  scope: Scope,
  change: SectionChange,
): Promise<HandlerResult> {
  const wish = await ctx.db.write(() => {
    const section = findSection(ctx.db, key, scope)
    const waiting = proposalOf(ctx.db, key, scope)
    const base = waiting ?? section
    if (base === undefined) return sectionMissing(key, scope)
    const wished = { ...base, ...change }
    const { title, content, enabled } = wished
    const action = section === undefined ? 'add' : 'update'
    return propose(ctx, { ...scope, action, key, title, content, sortOrder: wished.sortOrder, enabled })
  })
  if (wish === undefined) return `Unchanged: section ${key} (${scopeName(scope)}) is like that already.`
  return wish instanceof ToolFault ? wish : askOrTell(ctx, wish)
}
