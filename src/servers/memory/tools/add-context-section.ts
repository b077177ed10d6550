// Adds a section to crow.md, or an override of one for a device or a project.
import { Type } from 'typebox'
import { fault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { deviceId, requiredName, requiredText, sectionProject, sortOrder } from '../fields.ts'
import { isProtected, scopeName, scopeOf } from '../policy/sections.ts'
import { countSections, findSection, insertSection, SECTIONS_MAX } from '../queries/sections.ts'

const LAST = 100

export const addContextSection = defineTool({
  name: 'add_context_section',
  summary: 'Add a crow.md section',
  description:
    'Add a section to crow.md. With device_id or project_id it applies there only, and replaces a section of the same key there. Built-in keys: only with device_id or project_id.',
  input: Type.Object({
    section_key: requiredName(500, 'Short name, like travel_rules'),
    section_title: requiredText(500, 'Heading'),
    content: requiredText(50_000, 'Markdown'),
    sort_order: sortOrder,
    device_id: deviceId,
    project_id: sectionProject,
  }),
  effect: 'write',
  serializeBy: (input) => input.section_key,
  examples: [
    { section_key: 'travel_rules', section_title: 'Travel', content: 'Trains before planes.' },
    { section_key: 'writing_style', section_title: 'Writing style', content: 'One line at most.', device_id: 'phone' },
  ],
  async handle(input, ctx) {
    const { section_key: key, section_title: title, content } = input
    const scope = scopeOf(input)
    if (isProtected(key, scope)) return builtIn(key)
    const id = await ctx.db.write(() => {
      if (countSections(ctx.db) >= SECTIONS_MAX) throw full()
      const place = input.sort_order ?? findSection(ctx.db, key, { deviceId: null, projectId: null })?.sortOrder ?? LAST
      return insertSection(ctx.db, { ...scope, key, title, content, sortOrder: place }, ctx.clock.now())
    })
    if (id === undefined) {
      return fault('CONFLICT', `The scope ${scopeName(scope)} already has a section ${JSON.stringify(key)}.`, {
        recovery: 'Change it with crow_update_context_section.',
        availableActions: ['update_context_section'],
      })
    }
    return `Added: section ${key} (${scopeName(scope)}).`
  },
})

function builtIn(key: string) {
  return fault('CONFLICT', `The section ${JSON.stringify(key)} is built in; it cannot be added globally.`, {
    recovery: 'Change it with crow_update_context_section, or add an override with device_id or project_id.',
    availableActions: ['update_context_section'],
  })
}

function full() {
  return fault('CONFLICT', `There are ${SECTIONS_MAX} sections already; more are not kept.`, {
    recovery: 'Delete one with crow_delete_context_section, or put the text into an existing one.',
    availableActions: ['delete_context_section', 'update_context_section'],
  })
}
