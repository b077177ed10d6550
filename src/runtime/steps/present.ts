// A handler's value becomes a reply. A declared presenter or output schema decides what may leave; a finished reply
// does not get around it.
import { isRecord } from '../../lib/json.ts'
import type { CompiledTool } from '../compiled.ts'
import { DataReply, ReadyReply, type Reply } from '../reply.ts'
import type { Run } from '../run.ts'
import { REFUSED } from '../schema/parser.ts'

/** @throws TypeError when the value breaks what the tool declared; the message never repeats the value */
export function present(run: Run<CompiledTool>, value: unknown): Reply {
  const { presenter, declaration } = run.target
  if (presenter !== undefined && !(declaration.presenterEscape === true && value instanceof ReadyReply))
    return presented(run, value)
  if (typeof value === 'string') return textReply(run.target, value)
  if (value instanceof ReadyReply) return readyReply(run.target, value.reply)
  if (value instanceof DataReply) return dataReply(run.target, value.data, value.text)
  if (typeof value === 'object' && value !== null) return dataReply(run.target, value, undefined)
  if (typeof value === 'number' || typeof value === 'boolean') return textReply(run.target, String(value))
  throw new TypeError(`${run.target.publicName} returned nothing`)
}

function textReply(tool: CompiledTool, text: string): Reply {
  if (tool.parseOutput !== undefined) throw new TypeError(`${tool.publicName} declares output but returned text`)
  return { content: [{ type: 'text', text }] }
}

function readyReply(tool: CompiledTool, reply: Reply): Reply {
  if (tool.parseOutput === undefined || reply.isError === true) return { ...reply }
  if (reply.structuredContent === undefined) throw new TypeError(`${tool.publicName} declares output but returned none`)
  return { ...reply, structuredContent: output(tool, reply.structuredContent) ?? {} }
}

function dataReply(tool: CompiledTool, data: object, text: string | undefined): Reply {
  const structured = output(tool, data)
  const content: Reply['content'] = [{ type: 'text', text: text ?? JSON.stringify(structured ?? data) }]
  return structured === undefined ? { content } : { content, structuredContent: structured }
}

/** Only declared keys leave; undefined when the tool declares no output. */
function output(tool: CompiledTool, data: unknown): Record<string, unknown> | undefined {
  if (tool.parseOutput === undefined) return undefined
  const parsed = tool.parseOutput(data)
  if (parsed === REFUSED || !isRecord(parsed))
    throw new TypeError(`${tool.publicName}: the data does not fit the output schema`)
  return parsed
}

function presented(run: Run<CompiledTool>, value: unknown): Reply {
  const { presenter, publicName } = run.target
  const { blocks, structured, attributes } = presenter?.apply(rawOf(value, publicName), run) ?? {
    blocks: [],
    structured: {},
  }
  if (run.probe !== undefined && attributes !== undefined) run.attributes = attributes
  const checked = output(run.target, structured)
  return checked === undefined ? { content: blocks } : { content: blocks, structuredContent: checked }
}

/** Of a ready reply only its structured content is data; its text could hold anything, so it stays here. */
function rawOf(value: unknown, publicName: string): unknown {
  if (value instanceof DataReply) return value.data
  if (!(value instanceof ReadyReply)) return value
  if (value.reply.structuredContent !== undefined) return value.reply.structuredContent
  throw new TypeError(`${publicName} declares a presenter but returned a finished reply without structured content`)
}
