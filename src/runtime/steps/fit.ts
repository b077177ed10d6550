// The egress budget: everything a reply carries counts. What does not fit is kept and offered by a cursor; structured
// content is whole or absent, and where it was promised, its absence is a fault; `isError` never changes.
import { fault, type ToolFault } from '../fault.ts'
import { blockBytes, cutAt, surelyFits, textBytes } from '../guards/egress-budget.ts'
import type { ContentBlock, Reply } from '../reply.ts'
import type { Run, Subject } from '../run.ts'
import { MORE_FIELD } from '../wire-schema.ts'

/** What has a budget for its replies. */
export interface Sized extends Subject {
  readonly limits: { readonly egressBytesMax: number }
  /** Set where every reply that is no error has structured content (MCP: a tool with an output schema must give it). */
  readonly parseOutput?: unknown
  /** How it is listed: what somebody else's tool promises there, clients check. */
  readonly definition?: { readonly outputSchema?: unknown }
}

/** Enough for the notice below with the longest names and numbers. */
const NOTICE_BYTES = 420

/**
 * A person at a shell reads the whole reply: the budget spares a model, and what is kept ends with the process of the command.
 * @throws ToolFault when structured content that the tool promises does not fit
 */
export function fit(run: Run<Sized>, reply: Reply): Reply {
  if (run.caller.kind === 'cli') return reply
  const budget = run.target.limits.egressBytesMax
  const [only] = reply.content
  if (
    reply.structuredContent === undefined &&
    reply.content.length === 1 &&
    only?.type === 'text' &&
    surelyFits(only.text, budget)
  )
    return reply
  const structuredJson = reply.structuredContent === undefined ? '' : JSON.stringify(reply.structuredContent)
  let total = utf8Bytes(structuredJson, budget)
  for (const block of reply.content) if (total <= budget) total += blockBytes(block, budget)
  return total <= budget ? reply : cut(run, reply, structuredJson, budget - NOTICE_BYTES)
}

function utf8Bytes(text: string, budget: number): number {
  return text.length > budget ? text.length : Buffer.byteLength(text, 'utf8')
}

function cut(run: Run<Sized>, reply: Reply, structuredJson: string, room: number): Reply {
  const structuredBytes = utf8Bytes(structuredJson, room)
  const keepsStructured = structuredJson !== '' && structuredBytes <= room
  const isError = reply.isError === true
  const { parseOutput, definition } = run.target
  const isPromised = parseOutput !== undefined || definition?.outputSchema !== undefined
  if (isPromised && !keepsStructured && !isError) throw tooLarge(run, structuredBytes)
  const { content, rest } = split(reply.content, keepsStructured ? room - structuredBytes : room)
  const shows = reply.content.some((block) => block.type === 'text' && block.text === structuredJson)
  if (structuredJson !== '' && !keepsStructured && !shows) rest.push(structuredJson)
  const { structuredContent, content: _all, ...others } = reply
  return {
    ...others,
    content: [...content, { type: 'text', text: notice(run, rest, isError) }],
    ...(keepsStructured && structuredContent !== undefined ? { structuredContent } : {}),
  }
}

function tooLarge({ target }: Run<Sized>, bytes: number): ToolFault {
  const { egressBytesMax } = target.limits
  const done = `${target.publicName} ran, but its structured reply is too large: about ${bytes} of at most ${egressBytesMax} bytes.`
  return fault('VALIDATION_ERROR', done, { recovery: 'Ask for less: filter, or use a smaller limit.' })
}

/** Blocks in order while they fit; the first text that does not is cut, everything after it waits. */
function split(blocks: readonly ContentBlock[], room: number): { content: ContentBlock[]; rest: string[] } {
  const content: ContentBlock[] = []
  const rest: string[] = []
  let left = room
  for (const block of blocks) {
    const bytes = rest.length > 0 ? Infinity : blockBytes(block, left)
    if (bytes <= left) {
      content.push(block)
      left -= bytes
    } else if (block.type === 'text') {
      const end = rest.length > 0 ? 0 : cutAt(block.text, 0, left)
      if (end > 0) content.push({ ...block, text: block.text.slice(0, end) })
      rest.push(block.text.slice(end))
    } else {
      rest.push(JSON.stringify(block))
    }
  }
  return { content, rest: rest.filter((piece) => piece !== '') }
}

/** Reading the clock is fine here: a reply over its budget is rare. */
function notice(run: Run<Sized>, rest: readonly string[], isError: boolean): string {
  const { engine, target, caller } = run
  const bytes = rest.reduce((sum, piece) => sum + Buffer.byteLength(piece, 'utf8'), 0)
  const characters = charactersFrom(rest, 0, 0)
  if (rest.length === 0) return '[The structured content was left out: the same data is in the text.]'
  const id = engine.ids.token()
  const kept = engine.rests.keep(
    id,
    { caller: caller.id, server: target.server, tool: target.publicName, pieces: rest, isError, bytes },
    engine.clock.now(),
  )
  return kept
    ? offer(`${id}.0.0`, characters)
    : `[Cut here: ${characters} more characters, too many to keep. Ask for less: filter, or use a smaller limit.]`
}

function offer(cursor: string, characters: number): string {
  return `[Cut here: ${characters} more characters. To read on, repeat this call with "${MORE_FIELD}": "${cursor}".]`
}

/** One page of what was kept. The same cursor gives the same page for as long as it is kept. */
export function continueReply(run: Run<Sized>, more: string): Reply | ToolFault {
  const { engine, target, caller } = run
  const [id = '', pieceText = '', startText = ''] = more.split('.')
  const rest = engine.rests.find(
    id,
    { caller: caller.id, server: target.server, tool: target.publicName },
    engine.clock.now(),
  )
  let [index, start] = [Number(pieceText), Number(startText)]
  if (rest === undefined || !isIndex(index) || !isIndex(start) || start >= (rest.pieces[index]?.length ?? 0)) {
    return fault('NOT_FOUND', `${MORE_FIELD}: there is no such continuation, or it has expired.`, {
      recovery: 'Make the original call again.',
    })
  }
  const content: ContentBlock[] = []
  let left = target.limits.egressBytesMax - NOTICE_BYTES
  for (; index < rest.pieces.length && left > 0; index++) {
    const piece = rest.pieces[index] ?? ''
    const end = cutAt(piece, start, left)
    if (end === start && end < piece.length) break
    const text = piece.slice(start, end)
    content.push({ type: 'text', text })
    left -= textBytes(text, left)
    start = end < piece.length ? end : 0
    if (start > 0) break
  }
  if (index < rest.pieces.length)
    content.push({
      type: 'text',
      text: offer(`${id}.${index}.${start}`, charactersFrom(rest.pieces, index, start)),
    })
  return rest.isError ? { content, isError: true } : { content }
}

/** UTF-16 units, because counting them is free however much is left. */
function charactersFrom(pieces: readonly string[], index: number, start: number): number {
  return pieces.slice(index).reduce((sum, piece) => sum + piece.length, -start)
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
