// Values for what somebody is typing: from our own prompts and templates, or from whoever serves the one that is meant.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server'
import type { Caller } from '../runtime/context.ts'
import { ToolFault } from '../runtime/fault.ts'
import { completeForeign } from '../runtime/foreign-reading.ts'
import { CODE } from './protocol.ts'
import { protocolFault } from './protocol-fault.ts'
import { contentOf, shortened, type Content } from './own-content.ts'
import { completion } from './sdk-types.ts'
import type { Seat } from './seat.ts'

/** Values one completion may offer (MCP completion: at most 100). */
const COMPLETIONS_MAX = 100

type Params = CompleteRequest['params']

/** @throws ProtocolError where nobody has what is to be completed */
export async function complete(
  { catalog, served }: Seat,
  caller: Caller,
  { ref, argument, context }: Params,
  signal: AbortSignal,
): Promise<CompleteResult> {
  const values = completionsOf(contentOf(served, caller), ref, argument)
  if (values !== undefined) {
    const shown = values.slice(0, COMPLETIONS_MAX)
    return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } }
  }
  const result = await completeForeign(catalog, {
    caller,
    server: served.id,
    ref,
    argument,
    signal,
    ...(context?.arguments === undefined ? {} : { context: { arguments: context.arguments } }),
  })
  if (result === undefined) throw unknown(ref)
  if (result instanceof ToolFault) throw protocolFault(result)
  return completion(result)
}

const unknown = (ref: Params['ref']): ProtocolError =>
  new ProtocolError(
    CODE.invalidParams,
    ref.type === 'ref/prompt'
      ? `Unknown prompt: ${shortened(ref.name)}`
      : `Unknown resource template: ${shortened(ref.uri)}`,
  )

/** Undefined where none of ours is meant. */
function completionsOf(served: Content, ref: Params['ref'], { name, value }: Params['argument']): string[] | undefined {
  const named =
    ref.type === 'ref/prompt'
      ? served.prompts.find((candidate) => candidate.name === ref.name)
      : served.templates.find((candidate) => candidate.uriTemplate === ref.uri)
  return named === undefined ? undefined : [...(named.complete?.(name, value) ?? [])]
}
