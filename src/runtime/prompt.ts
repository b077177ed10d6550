// Rendering a prompt, with input rounds where it asks for something.
import { holderOf, noteUnmet, withBorrowedContext } from './borrowed.ts'
import type { Catalog } from './catalog.ts'
import type { Caller, ElicitChannel } from './context.ts'
import { fault, ToolFault } from './fault.ts'
import type { EndNote } from './hooks.ts'
import { InputNeeded, type InputRequest } from './reply.ts'
import type { PromptMessage } from './server.ts'
import { inputRequired, openState } from './steps/state.ts'

export interface PromptCall {
  readonly caller: Caller
  readonly server: string
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | (() => AbortSignal)
  readonly meta?: Readonly<Record<string, unknown>>
  readonly elicit?: ElicitChannel
}
export type PromptOutcome =
  | { readonly kind: 'messages'; readonly description: string; readonly messages: readonly PromptMessage[] }
  | { readonly kind: 'unknown-prompt'; readonly name: string }
  | { readonly kind: 'missing-argument'; readonly names: readonly string[] }
  | { readonly kind: 'invalid-state' }
  | {
      readonly kind: 'input-required'
      readonly requests: Readonly<Record<string, InputRequest>>
      readonly state: string
    }
  | { readonly kind: 'fault'; readonly fault: ToolFault }

/** Never rejects. */
export async function renderPrompt(catalog: Catalog, request: PromptCall): Promise<PromptOutcome> {
  const server = holderOf(catalog.server(request.server), request.caller, ({ prompts }) =>
    prompts.some(({ name }) => name === request.name),
  )
  const prompt = server?.prompts.find((candidate) => candidate.name === request.name)
  const { caller, signal, meta, elicit } = request
  const call = {
    caller,
    server: server?.id ?? request.server,
    tool: request.name,
    ...(signal === undefined ? {} : { signal }),
    ...(meta === undefined ? {} : { meta }),
    ...(elicit === undefined ? {} : { elicit }),
  }
  if (server === undefined || prompt === undefined) {
    noteUnmet(catalog, call, 'prompt', { outcome: 'unknown-prompt', code: 'NOT_FOUND', isError: true })
    return { kind: 'unknown-prompt', name: request.name }
  }
  const names = (prompt.arguments ?? [])
    .filter((argument) => argument.required === true && request.args[argument.name] === undefined)
    .map((argument) => argument.name)
  if (names.length > 0) {
    noteUnmet(catalog, call, 'prompt', { outcome: 'fault', code: 'MISSING_REQUIRED_FIELD', isError: true })
    return { kind: 'missing-argument', names }
  }
  const outcome = await withBorrowedContext<PromptOutcome>(catalog, {
    kind: 'prompt',
    server,
    name: prompt.name,
    call,
    note: noteOf,
    async work(ctx, run) {
      if (!openState(run)) return { kind: 'invalid-state' }
      const rendered = await prompt.render(request.args, ctx)
      if (!(rendered instanceof InputNeeded))
        return { kind: 'messages', description: prompt.description, messages: rendered }
      const asked = inputRequired(run, rendered)
      if (asked instanceof ToolFault) return { kind: 'fault', fault: asked }
      return asked.kind === 'input-required'
        ? asked
        : { kind: 'fault', fault: fault('INTERNAL_ERROR', 'The prompt could not ask.') }
    },
  })
  return outcome instanceof ToolFault ? { kind: 'fault', fault: outcome } : outcome
}

function noteOf(outcome: PromptOutcome): EndNote {
  switch (outcome.kind) {
    case 'messages':
      return { outcome: 'ok', bytes: Buffer.byteLength(JSON.stringify(outcome.messages)) }
    case 'input-required':
      return { outcome: 'input-required' }
    case 'fault':
      return { outcome: 'fault', code: outcome.fault.code, isError: true }
    default:
      return { outcome: 'fault', isError: true }
  }
}
