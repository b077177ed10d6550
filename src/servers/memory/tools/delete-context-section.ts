// Deletes one section of crow.md in exactly one scope. Its text is gone, so it asks first.
import { Type } from 'typebox'
import { fault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { changedSincePreview, sectionMissing } from '../faults.ts'
import { deviceId, requiredName, sectionProject } from '../fields.ts'
import { isProtected, scopeName, scopeOf } from '../policy/sections.ts'
import { findSection, removeSection, type StoredSection } from '../queries/sections.ts'
import { element } from '../render/fence.ts'
import { preview } from '../render/excerpt.ts'

const PREVIEW_CHARS_MAX = 300

export const deleteContextSection = defineTool({
  name: 'delete_context_section',
  summary: 'Delete a crow.md section',
  description:
    'Delete a section of your own, or the override of a scope; what it replaced applies again. Built-in sections stay: switch one off with crow_update_context_section, enabled: false.',
  input: Type.Object({
    section_key: requiredName(500, 'From crow_list_context_sections'),
    device_id: deviceId,
    project_id: sectionProject,
  }),
  effect: 'destroy',
  serializeBy: (input) => input.section_key,
  examples: [{ section_key: 'travel_rules' }],
  preview(input, ctx) {
    const scope = scopeOf(input)
    if (isProtected(input.section_key, scope)) throw builtIn(input.section_key)
    const section = findSection(ctx.db, input.section_key, scope)
    if (section === undefined) throw sectionMissing(input.section_key, scope)
    const text = element(
      'section',
      { key: section.key, title: section.title },
      preview(section.content, PREVIEW_CHARS_MAX),
    )
    return {
      text: `Deletes this section (${scopeName(scope)}) for good:\n${text}`,
      version: versionOf(section),
    }
  },
  async handle(input, ctx) {
    const scope = scopeOf(input)
    if (isProtected(input.section_key, scope)) return builtIn(input.section_key)
    const { confirmedVersion: shown } = ctx
    const refused = await ctx.db.write(() => {
      const section = findSection(ctx.db, input.section_key, scope)
      if (section === undefined) return sectionMissing(input.section_key, scope)
      if (shown !== undefined && versionOf(section) !== shown) return changedSincePreview()
      removeSection(ctx.db, input.section_key, scope)
      return undefined
    })
    return refused ?? `Deleted: section ${input.section_key} (${scopeName(scope)}).`
  },
})

function versionOf({ id, version }: StoredSection): string {
  return `${id}.${version}`
}

function builtIn(key: string) {
  return fault('CONFLICT', `The section ${JSON.stringify(key)} is built in and cannot be deleted.`, {
    recovery: 'Switch it off with crow_update_context_section and enabled: false, or replace its text.',
    availableActions: ['update_context_section'],
  })
}
