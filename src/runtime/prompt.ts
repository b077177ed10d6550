// Rendering a prompt, with input rounds where it asks for something.
import { holderOf, noteUnmet, withBorrowedContext } from './borrowed.ts'
import type { Catalog } from './catalog.ts'
import type { Caller, ElicitChannel } from './context.ts'
import { fault, ToolFault } from './fault.ts'
import type { EndNote } from './hooks.ts'
import { foreignHold, throughForeign, type ForeignHold } from './foreign-reading.ts'
import type { Call } from './outcome.ts'
import { InputNeeded, type InputRequest } from './reply.ts'
import type { Run } from './run.ts'
import type { PromptMessage } from './server.ts'
import type { WireObject } from './source.ts'
import { inputRequired, openState } from './steps/state.ts'

export interface PromptCall {
  readonly caller: Caller
  readonly server: string
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | (() => AbortSignal)
  readonly meta?: Readonly<Record<string, unknown>>
  readonly elicit?: ElicitChannel
  readonly progress?: Call['progress']
  readonly notify?: Call['notify']
}
export type PromptOutcome =
  /** As it came from whoever serves it, whole. */
  | { readonly kind: 'result'; readonly result: WireObject }
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
  const call = callOf(request, server?.id ?? request.server)
  if (server === undefined || prompt === undefined) {
    const hold = foreignHold(catalog.server(request.server), request.caller, 'prompt', request.name)
    if (hold !== undefined) return renderForeign(catalog, hold, request)
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
      return rendered instanceof InputNeeded
        ? asked(run, rendered)
        : { kind: 'messages', description: prompt.description, messages: rendered }
    },
  })
  return outcome instanceof ToolFault ? { kind: 'fault', fault: outcome } : outcome
}

function asked(run: Run, needed: InputNeeded): PromptOutcome {
  const outcome = inputRequired(run, needed)
  if (outcome instanceof ToolFault) return { kind: 'fault', fault: outcome }
  return outcome.kind === 'input-required'
    ? outcome
    : { kind: 'fault', fault: fault('INTERNAL_ERROR', 'The prompt could not ask.') }
}

async function renderForeign(catalog: Catalog, hold: ForeignHold, request: PromptCall): Promise<PromptOutcome> {
  const { name } = request
  const outcome = await throughForeign<PromptOutcome>(catalog, hold, {
    call: callOf(request, hold.server.id),
    note: (ended) => (ended instanceof ToolFault ? noteOfFault(ended) : noteOf(ended)),
    async work(ctx, run) {
      if (!openState(run)) return { kind: 'invalid-state' }
      const result = await hold.content.source.getPrompt(name, request.args, ctx)
      if (result instanceof InputNeeded) return asked(run, result)
      if (result instanceof ToolFault) return { kind: 'fault', fault: result }
      return result === undefined ? { kind: 'unknown-prompt', name } : { kind: 'result', result }
    },
  })
  return outcome instanceof ToolFault ? { kind: 'fault', fault: outcome } : outcome
}

function callOf(request: PromptCall, server: string): Call {
  const { caller, name, signal, meta, elicit, progress, notify } = request
  return {
    caller,
    server,
    tool: name,
    ...(signal === undefined ? {} : { signal }),
    ...(meta === undefined ? {} : { meta }),
    ...(elicit === undefined ? {} : { elicit }),
    ...(progress === undefined ? {} : { progress }),
    ...(notify === undefined ? {} : { notify }),
  }
}

const noteOfFault = ({ code }: ToolFault): EndNote => ({ outcome: 'fault', code, isError: true })

function noteOf(outcome: PromptOutcome): EndNote {
  switch (outcome.kind) {
    case 'messages':
      return { outcome: 'ok', bytes: Buffer.byteLength(JSON.stringify(outcome.messages)) }
    case 'result':
      return { outcome: 'ok', bytes: Buffer.byteLength(JSON.stringify(outcome.result)) }
    case 'input-required':
      return { outcome: 'input-required' }
    case 'fault':
      return noteOfFault(outcome.fault)
    default:
      return { outcome: 'fault', isError: true }
  }
}
