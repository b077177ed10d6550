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
  const blocks = Array.isArray(content) ? blocksWithPublicUris(id, content) : []
  return { ...plainFields(unwrapped(result)), content: plainBlocks(blocks) }
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
  return { ...plainFields(unwrapped(result)), content: plainBlocks(Array.isArray(content) ? content : []) }
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

/** What a client would refuse the whole result for is left out. */
function plainFields(result: JsonObject): JsonObject {
  const { isError, structuredContent, _meta: meta } = result
  const isPlain =
    (isError === undefined || typeof isError === 'boolean') &&
    (structuredContent === undefined || isRecord(structuredContent)) &&
    (meta === undefined || isRecord(meta))
  if (isPlain) return result
  const { isError: _error, structuredContent: _structured, _meta: _bare, ...rest } = result
  return {
    ...rest,
    ...(isError === undefined ? {} : { isError: Boolean(isError) }),
    ...(isRecord(structuredContent) ? { structuredContent } : {}),
    ...(isRecord(meta) ? { _meta: meta } : {}),
  }
}

/** The blocks as they came; one that is none becomes text, so that nothing of it is lost and nobody trips over it. */
function plainBlocks(blocks: readonly unknown[]): ContentBlock[] {
  return blocks.map((block) => (isBlock(block) ? block : { type: 'text', text: JSON.stringify(block) }))
}

/** Only as far as somebody here looks into it. */
function isBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block)) return false
  const { type, text, data, mimeType, resource, uri } = block
  if (type === 'text') return typeof text === 'string'
  if (type === 'image' || type === 'audio') return typeof data === 'string' && typeof mimeType === 'string'
  if (type === 'resource') return isRecord(resource)
  return type === 'resource_link' ? typeof uri === 'string' : typeof type === 'string'
}
