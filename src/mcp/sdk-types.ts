// The catalog's JSON in the SDK's types for the same JSON. Both describe what the protocol writes: the SDK with types that
// may be changed, we with types that may not. Here, and only here, a value changes its type without changing.
import { isInputRequiredResult } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ListToolsResult,
} from '@modelcontextprotocol/server'
import type { InputRequest, Reply } from '../runtime/reply.ts'
import type { PromptMessage } from '../runtime/server.ts'
import type { WireTool } from '../runtime/wire-tool.ts'

const isToolResult = (value: object): value is CallToolResult => 'content' in value
const isToolList = (value: object): value is ListToolsResult => 'tools' in value
const isPromptResult = (value: object): value is GetPromptResult => 'messages' in value

/** A reply as the result of `tools/call`. */
export function toolResult(reply: Reply): CallToolResult {
  if (isToolResult(reply)) return reply
  throw new TypeError('a reply without content')
}

/** Tools as the result of `tools/list`. */
export function toolList(tools: readonly WireTool[]): ListToolsResult {
  const list = { tools }
  if (isToolList(list)) return list
  throw new TypeError('not a list')
}

/** Messages as the result of `prompts/get`. */
export function promptResult(description: string, messages: readonly PromptMessage[]): GetPromptResult {
  const result = { description, messages }
  if (isPromptResult(result)) return result
  throw new TypeError('not a prompt')
}

/** Questions as an `input_required` result; the SDK checks each against what the client can answer. */
export function questions(
  inputRequests: Readonly<Record<string, InputRequest>>,
  requestState: string,
): InputRequiredResult {
  const result: unknown = { resultType: 'input_required', inputRequests, requestState }
  if (isInputRequiredResult(result)) return result
  throw new TypeError('not a question')
}
