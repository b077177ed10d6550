// Changes one section of crow.md in exactly one scope.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { nothingToChange, sectionMissing } from '../faults.ts'
import { deviceId, requiredName, sectionProject, sortOrder, text } from '../fields.ts'
import { scopeName, scopeOf } from '../policy/sections.ts'
import { changeSection, type SectionChange } from '../queries/sections.ts'

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
  serializeBy: (input) => input.section_key,
  examples: [
    { section_key: 'writing_style', content: 'Short sentences. British spelling.' },
    { section_key: 'identity', sort_order: 1 },
  ],
  async handle(input, ctx) {
    const { section_key: key, content, section_title: title, enabled, sort_order: order } = input
    const scope = scopeOf(input)
    const change: SectionChange = {
      ...(content !== undefined && { content }),
      ...(title !== undefined && { title }),
      ...(enabled !== undefined && { enabled }),
      ...(order !== undefined && { sortOrder: order }),
    }
    if (Object.keys(change).length === 0) return nothingToChange(['content', 'section_title', 'enabled', 'sort_order'])
    const changed = await ctx.db.write(() => changeSection(ctx.db, key, scope, change, ctx.clock.now()))
    return changed ? `Updated: section ${key} (${scopeName(scope)}).` : sectionMissing(key, scope)
  },
})
