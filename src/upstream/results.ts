// What a server answered, as it is passed on: whole and unchecked, but for addresses, which become ours.
import { isRecord } from '../lib/json.ts'
import { MCP_META } from '../lib/mcp-names.ts'
import type { ContentBlock, Reply } from '../runtime/reply.ts'
import type { JsonObject } from '../lib/link.ts'
import { blocksWithPublicUris, withPublicUri } from './uris.ts'

/** The envelope of the 2026 era; ours puts its own around what it carries. */
const ENVELOPE = 'resultType'
const SERVER_INFO = MCP_META.serverInfo

/** A `tools/call` result. What has no content is passed on with an empty list of it, which the protocol demands. */
export function toolReply(id: string, result: JsonObject): Reply {
  const { content } = result
  const blocks = isContent(content) ? blocksWithPublicUris(id, content) : []
  return isContent(blocks) ? { ...unwrapped(result), content: blocks } : { content: [] }
}

/** A `prompts/get` or `resources/read` result with public addresses in its messages or contents. */
export function contentResult(id: string, result: JsonObject): JsonObject {
  const { messages, contents } = result
  return {
    ...unwrapped(result),
    ...(Array.isArray(messages) ? { messages: messages.map((message) => publicMessage(id, message)) } : {}),
    ...(Array.isArray(contents)
      ? { contents: contents.map((item: unknown) => (isRecord(item) ? withPublicUri(id, item) : item)) }
      : {}),
  }
}

/** A result whose addresses are public already. */
export const bareResult = (result: JsonObject): JsonObject => unwrapped(result)

/** The same of `tools/call`. */
export function bareReply(result: JsonObject): Reply {
  const { content } = result
  return { ...unwrapped(result), content: isContent(content) ? content : [] }
}

function publicMessage(id: string, message: unknown): unknown {
  if (!isRecord(message)) return message
  const [content] = blocksWithPublicUris(id, [message['content']])
  return content === message['content'] ? message : { ...message, content }
}

function unwrapped(result: JsonObject): JsonObject {
  const { _meta: meta } = result
  const names = isRecord(meta) && Object.hasOwn(meta, SERVER_INFO)
  if (!names && !Object.hasOwn(result, ENVELOPE)) return result
  const { [ENVELOPE]: _envelope, ...rest } = result
  if (!names) return rest
  const { [SERVER_INFO]: _server, ...others } = meta
  const { _meta: _whole, ...bare } = rest
  return Object.keys(others).length === 0 ? bare : { ...bare, _meta: others }
}

/** The blocks themselves are data of a stranger: whoever reads them checks what it needs. */
const isContent = (value: unknown): value is ContentBlock[] => Array.isArray(value)
