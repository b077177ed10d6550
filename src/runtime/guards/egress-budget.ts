// How large a reply is on the wire and where it can be cut. Sizes are bytes of the JSON string, escapes included,
// so that what a client measures never exceeds the budget.
import type { ContentBlock } from '../reply.ts'

/** One UTF-16 unit becomes at most this many bytes in JSON (`\u001f`). */
const UNIT_BYTES_MAX = 6

/** True without looking at the text when it fits whatever it holds. */
export function surelyFits(text: string, budget: number): boolean {
  return text.length * UNIT_BYTES_MAX <= budget
}

/** Bytes of `text` inside a JSON string; anything above `budget` may be reported as `budget + 1` or more. */
export function textBytes(text: string, budget: number): number {
  if (text.length > budget) return text.length
  return Buffer.byteLength(JSON.stringify(text), 'utf8') - 2
}

/** The end of the longest piece from `start` that takes at most `budget` bytes; never inside a code point. */
export function cutAt(text: string, start: number, budget: number): number {
  let bytes = 0
  let index = start
  while (index < text.length) {
    const unit = text.charCodeAt(index)
    const pair = unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text, index + 1)
    bytes += pair ? 4 : unitBytes(unit)
    if (bytes > budget) break
    index += pair ? 2 : 1
  }
  return index
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2
  if (unit < 0x20)
    return unit === 0x08 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d ? 2 : UNIT_BYTES_MAX
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return unit >= 0xd800 && unit <= 0xdfff ? UNIT_BYTES_MAX : 3
}

/** Bytes of a block's payload. */
export function blockBytes(block: ContentBlock, budget: number): number {
  switch (block.type) {
    case 'text':
      return textBytes(block.text, budget)
    case 'image':
    case 'audio':
      return block.data.length + block.mimeType.length
    default:
      return Buffer.byteLength(JSON.stringify(block), 'utf8')
  }
}
