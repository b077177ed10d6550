// Composes crow.md: how to behave, and what is known right now.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { composeCrowMd } from '../crow-md.ts'
import { flag, name, projectOf } from '../fields.ts'
import { scopeHere } from '../reading.ts'
import { PLATFORMS } from '../render/crow-md.ts'

export const getContext = defineTool({
  name: 'get_context',
  summary: 'Read crow.md',
  description:
    'Read crow.md: how this person wants to be served, and what is known right now. Call it once when a session begins.',
  input: Type.Object({
    include_dynamic: flag(true, 'Add the memory overview'),
    platform: Type.Optional(
      Type.Union(
        PLATFORMS.map((platform) => Type.Literal(platform)),
        { default: 'generic', description: 'How notes are shown' },
      ),
    ),
    device_id: name(200, 'Apply the overrides of this device'),
    project_id: projectOf('Apply the overrides of this project; only its memories are in the overview'),
  }),
  effect: 'read',
  examples: [{}, { platform: 'claude', include_dynamic: false }],
  handle(input, ctx) {
    return composeCrowMd(ctx.db, {
      scope: scopeHere(ctx, { deviceId: input.device_id, projectId: input.project_id }),
      platform: input.platform ?? 'generic',
      dynamic: input.include_dynamic ?? true,
    })
  },
})
