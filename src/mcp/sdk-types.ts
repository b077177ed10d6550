// The catalog's JSON in the SDK's types for the same JSON. Both describe what the protocol writes: the SDK with types that
// may be changed, we with types that may not. Here, and only here, a value changes its type without changing.
import { isInputRequiredResult } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ListToolsResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { InputRequest, Reply } from '../runtime/reply.ts'
import type { PromptMessage } from '../runtime/server.ts'
import type { WireTool } from '../runtime/wire-tool.ts'

const isToolResult = (value: object): value is CallToolResult => 'content' in value
const isToolList = (value: object): value is ListToolsResult => 'tools' in value
const isPromptResult = (value: object): value is GetPromptResult => 'messages' in value

const isReading = (value: object): value is ReadResourceResult => 'contents' in value
const isCompletion = (value: object): value is CompleteResult => 'completion' in value

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

/** What somebody else answered to `prompts/get`. */
export function promptAnswer(result: object): GetPromptResult {
  if (isPromptResult(result)) return result
  throw new TypeError('not a prompt')
}

/** What somebody else answered to `resources/read`. */
export function readResult(result: object): ReadResourceResult {
  if (isReading(result)) return result
  throw new TypeError('not contents')
}

/** What somebody else answered to `completion/complete`. */
export function completion(result: object): CompleteResult {
  if (isCompletion(result)) return result
  throw new TypeError('not a completion')
}

/** A list with other items: what others have is listed as they have it. */
export function listOf<List extends object>(list: List, key: keyof List, items: readonly object[]): List {
  return { ...list, [key]: items }
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
