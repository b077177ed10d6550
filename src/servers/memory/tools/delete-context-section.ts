// Deletes one section of crow.md in exactly one scope. Its text is gone, so it asks first.
import { Type } from 'typebox'
import { isRecord } from '../../../lib/json.ts'
import type { ToolContext } from '../../../runtime/context.ts'
import { fault, ToolFault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { propose, waits, withdraw } from '../approval.ts'
import { noteDecision } from '../decision.ts'
import { changedSincePreview, sectionMissing } from '../faults.ts'
import { deviceId, requiredName, sectionProject } from '../fields.ts'
import { isProtected, scopeName, scopeOf, type Scope } from '../policy/sections.ts'
import { proposalOf } from '../queries/proposals.ts'
import { findSection, removeSection } from '../queries/sections.ts'
import { element } from '../render/fence.ts'
import { preview } from '../render/excerpt.ts'
import { sectionsChanged } from '../section-signal.ts'
import { factsOf, waitingReply } from '../wished.ts'

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
    const found = findWished(ctx, input.section_key, scope)
    if (found === undefined) throw sectionMissing(input.section_key, scope)
    const { section, version } = found
    const text = element(
      'section',
      { key: section.key, title: section.title },
      preview(section.content, PREVIEW_CHARS_MAX),
    )
    return { text: `Deletes this section (${scopeName(scope)}) for good:\n${text}`, version }
  },
  async handle(input, ctx) {
    const scope = scopeOf(input)
    const { section_key: key } = input
    if (isProtected(key, scope)) return builtIn(key)
    const { confirmedVersion: shown } = ctx
    let decided: string | undefined
    const wish = await ctx.db.write(() => {
      const found = findWished(ctx, key, scope)
      if (found === undefined) return sectionMissing(key, scope)
      if (shown !== undefined && found.version !== shown) return changedSincePreview()
      const { waiting, section } = found
      // What never served is taken back without anybody's leave.
      if (waiting?.action === 'add') withdraw(ctx.db, waiting.id)
      else if (waits(ctx) && !saidYes(ctx)) {
        const { title, content, sortOrder, enabled } = section
        return propose(ctx, { ...scope, action: 'delete', key, title, content, sortOrder, enabled })
      } else {
        removeSection(ctx.db, key, scope)
        if (waiting !== undefined) withdraw(ctx.db, waiting.id)
        decided = `section:${section.id}`
      }
      return undefined
    })
    if (wish instanceof ToolFault) return wish
    if (wish !== undefined) return waitingReply(wish)
    if (decided !== undefined && waits(ctx)) noteDecision(factsOf(ctx), 'approve', 'ok', decided)
    sectionsChanged(ctx.db)
    return `Deleted: section ${key} (${scopeName(scope)}).`
  },
})

/** What there is to delete: the section that serves, or one that waits to be added. */
function findWished({ db }: ToolContext, key: string, scope: Scope) {
  const section = findSection(db, key, scope)
  const waiting = proposalOf(db, key, scope)
  if (section !== undefined) return { section, waiting, version: `${section.id}.${section.version}` }
  return waiting?.action === 'add' ? { section: waiting, waiting, version: `change ${waiting.id}` } : undefined
}

/** Whether the person themselves confirmed, not the model with its token. */
function saidYes({ confirmedVersion, elicit }: ToolContext): boolean {
  const answer = elicit.supported ? elicit.responses?.['confirm'] : undefined
  return confirmedVersion !== undefined && isRecord(answer) && answer['action'] === 'accept'
}

function builtIn(key: string) {
  return fault('CONFLICT', `The section ${JSON.stringify(key)} is built in and cannot be deleted.`, {
    recovery: 'Switch it off with crow_update_context_section and enabled: false, or replace its text.',
    availableActions: ['update_context_section'],
  })
}
