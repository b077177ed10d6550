// A tool's reply as text for a person: media and links are named, not dumped.
import type { ContentBlock, Reply } from '../runtime/reply.ts'

/** The reply's content, blocks separated by a blank line. */
export function replyText(reply: Reply): string {
  return reply.content.map(blockText).join('\n\n')
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[${block.title ?? block.name}: ${block.uri}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}, ${sizeOf(block.resource.blob)}]`
    default:
      return `[${block.mimeType}, ${sizeOf(block.data)}]`
  }
}

function sizeOf(base64: string): string {
  return `${Math.floor((base64.replace(/=+$/, '').length * 3) / 4)} bytes`
}
