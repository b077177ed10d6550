// Adds a section to crow.md, or an override of one for a device or a project.
import { Type } from 'typebox'
import { fault, ToolFault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { propose, waits } from '../approval.ts'
import { deviceId, requiredName, requiredText, sectionProject, sortOrder } from '../fields.ts'
import { isProtected, scopeName, scopeOf, type Scope } from '../policy/sections.ts'
import { proposalOf, type Proposal } from '../queries/proposals.ts'
import { countSections, findSection, insertSection, SECTIONS_MAX } from '../queries/sections.ts'
import { sectionsChanged } from '../section-signal.ts'
import { answeredWish, askOrTell } from '../wished.ts'

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
  asks: 'optional',
  serializeBy: (input) => input.section_key,
  examples: [
    { section_key: 'travel_rules', section_title: 'Travel', content: 'Trains before planes.' },
    { section_key: 'writing_style', section_title: 'Writing style', content: 'One line at most.', device_id: 'phone' },
  ],
  async handle(input, ctx) {
    const answered = await answeredWish(ctx)
    if (answered !== undefined) return answered
    const { section_key: key, section_title: title, content } = input
    const scope = scopeOf(input)
    if (isProtected(key, scope)) return builtIn(key)
    const wished = await ctx.db.write(() => {
      const { db } = ctx
      if (countSections(db) >= SECTIONS_MAX) throw full()
      if (findSection(db, key, scope) !== undefined) return present(key, scope)
      const place = input.sort_order ?? findSection(db, key, { deviceId: null, projectId: null })?.sortOrder ?? LAST
      const section = { ...scope, key, title, content, sortOrder: place }
      if (!waits(ctx)) return insertSection(db, section, ctx.clock.now())
      const waiting = proposalOf(db, key, scope)
      return waiting !== undefined && waiting.content !== content
        ? present(key, scope, waiting)
        : propose(ctx, { ...section, action: 'add', enabled: true })
    })
    if (wished instanceof ToolFault) return wished
    if (typeof wished === 'object') return askOrTell(ctx, wished)
    sectionsChanged(ctx.db)
    return `Added: section ${key} (${scopeName(scope)}).`
  },
})

function present(key: string, scope: Scope, waiting?: Proposal): ToolFault {
  const what = waiting === undefined ? 'has' : `waits for (change ${waiting.id})`
  return fault('CONFLICT', `The scope ${scopeName(scope)} already ${what} a section ${JSON.stringify(key)}.`, {
    recovery: 'Change it with crow_update_context_section.',
    availableActions: ['update_context_section'],
  })
}

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
