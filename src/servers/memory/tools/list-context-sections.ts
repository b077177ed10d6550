// Lists the sections of crow.md that can apply in a scope.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { cursor, limit, name, projectOf } from '../fields.ts'
import { listKey, readCursor, writeCursor } from '../policy/cursor.ts'
import { scopeOf } from '../policy/sections.ts'
import { proposalsFor } from '../queries/proposals.ts'
import { sectionPage } from '../queries/sections.ts'
import { renderPage } from '../render/page.ts'
import { renderSectionLine, renderWaiting } from '../render/sections.ts'

export const listContextSections = defineTool({
  name: 'list_context_sections',
  summary: 'List crow.md sections',
  description:
    'List the sections of crow.md: the global ones, and the overrides of the device and project named. Their text is read with crow_get_context.',
  input: Type.Object({
    device_id: name(200, 'Also the overrides of this device'),
    project_id: projectOf('Also the overrides of this project'),
    limit: limit(100, 50),
    cursor,
  }),
  effect: 'read',
  examples: [{}, { device_id: 'phone' }],
  handle(input, ctx) {
    const scope = scopeOf(input)
    const key = listKey('sections', { ...scope })
    const after = readCursor(key, input.cursor, 2)
    const { rows, next } = sectionPage(ctx.db, { scope, limit: input.limit ?? 50, after })
    const waiting = after === undefined ? proposalsFor(ctx.db, scope) : []
    if (rows.length === 0 && waiting.length === 0)
      return after === undefined ? 'There are no sections.' : 'No more sections.'
    const page = renderPage(
      'Sections in the order of crow.md:',
      rows.map(renderSectionLine),
      next && writeCursor(key, next),
    )
    return waiting.length === 0 ? page : `${page}\n${renderWaiting(waiting)}`
  },
})
