// A server shown as one tool, `{ action, params }`: the discriminator, its schema, and the way to the inner tool,
// whose own permission, guards and record then apply exactly once.
import { isRecord } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import type { CompiledGroup, CompiledTool } from './compiled.ts'
import type { Caller } from './context.ts'
import { fault, type ToolFault } from './fault.ts'
import { fieldsText } from './schema/describe.ts'
import type { WireTool } from './wire-tool.ts'

const NAME_SHOWN_MAX = 64

/** @param usable what a caller may run, foreign tools included, as `groupDefinition` lists it */
export function compileGroup(
  publicName: string,
  usable: (caller: Caller) => readonly CompiledTool[],
  find: (name: string, caller: Caller) => CompiledTool | undefined,
): CompiledGroup {
  const allowed = (caller: Caller) => usable(caller).map((tool) => tool.name)
  return Object.freeze({
    publicName,
    find(params: unknown, caller: Caller) {
      const action = isRecord(params) && Object.hasOwn(params, 'action') ? params['action'] : undefined
      return typeof action === 'string' ? find(action, caller) : undefined
    },
    resolve(params: unknown, caller: Caller) {
      const given = params ?? {}
      const names = () => ({ availableActions: allowed(caller) })
      if (!isRecord(given))
        return fault('VALIDATION_ERROR', 'The arguments must be an object with `action` and `params`.', names())
      const { action } = given
      if (action === undefined || action === null || !Object.hasOwn(given, 'action')) {
        return fault('MISSING_DISCRIMINATOR', 'action: is required.', names())
      }
      if (typeof action !== 'string') return fault('INVALID_DISCRIMINATOR', 'action: must be a string.', names())
      const tool = find(action, caller)
      if (tool === undefined) return unknownAction(action, allowed(caller))
      const extra = Object.keys(given).find((key) => key !== 'action' && key !== 'params')
      return extra === undefined ? { tool, params: given['params'] } : misplaced(extra, tool)
    },
  })
}

function unknownAction(action: string, names: readonly string[]): ToolFault {
  const shown = action.slice(0, NAME_SHOWN_MAX).toWellFormed()
  const near = nearest(shown, names)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return fault('UNKNOWN_ACTION', `There is no action "${shown}".${hint}`, { availableActions: names })
}

function misplaced(key: string, tool: CompiledTool): ToolFault {
  const shown = key.slice(0, NAME_SHOWN_MAX).toWellFormed()
  const known = tool.shape.fields.map((field) => field.name)
  const near = nearest(shown, ['action', 'params', ...known])
  const inside = known.includes(key) ? '; put it into params' : near === undefined ? '' : `; did you mean ${near}?`
  return fault('VALIDATION_ERROR', `${shown}: is not a field beside action and params${inside}`)
}

/** The one definition, as a caller sees it who may use `tools`. */
export function groupDefinition(publicName: string, summary: string, tools: readonly CompiledTool[]): WireTool {
  const lines = tools.map((tool) => `- ${tool.name}(${fieldsText(tool.shape)}): ${tool.declaration.summary}`)
  return {
    name: publicName,
    description: `${summary}\nActions:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: tools.map((tool) => tool.name), description: 'What to do.' },
        params: { type: 'object', description: 'The parameters of the action.' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: tools.every((tool) => tool.effect === 'read'),
      destructiveHint: tools.some((tool) => tool.effect === 'destroy'),
      openWorldHint: false,
    },
  }
}
