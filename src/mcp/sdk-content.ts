// Resources, prompts and completion of a mount, for the SDK's server. Lists are made once per catalog, not per client.
import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type {
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { renderPrompt, type PromptOutcome } from '../runtime/prompt.ts'
import { readResource } from '../runtime/read.ts'
import type { ToolFault } from '../runtime/fault.ts'
import { permitServer } from '../runtime/steps/permit.ts'
import { CODE } from './protocol.ts'
import { elicitOf, invalidState } from './sdk-calls.ts'
import { promptResult, questions } from './sdk-types.ts'
import { URI_CHARS_MAX } from './subscriptions.ts'
import { refuseCursor, UNREACHABLE_MESSAGE, type Seat } from './seat.ts'

/** Values one completion may offer (MCP completion: at most 100). */
const COMPLETIONS_MAX = 100
/** How much of an unknown name is said back. */
const NAME_SHOWN_MAX = 64

interface Lists {
  readonly resources: ListResourcesResult
  readonly templates: ListResourceTemplatesResult
  readonly prompts: ListPromptsResult
}

const NO_LISTS: Lists = Object.freeze({
  resources: { resources: [] },
  templates: { resourceTemplates: [] },
  prompts: { prompts: [] },
})

const listsOf = new WeakMap<CompiledServer, Lists>()

type Content = Pick<CompiledServer, 'resources' | 'templates' | 'prompts'>

/** What this caller may see of a server: of a derived one, the content of its visible parts. */
function contentOf(served: CompiledServer, caller: Caller): Content {
  if (!served.derived) return served
  const parts = served.parts.filter((part) => part.access(caller) !== 'none')
  return {
    resources: parts.flatMap((part) => part.resources),
    templates: parts.flatMap((part) => part.templates),
    prompts: parts.flatMap((part) => part.prompts),
  }
}

/** Registers everything but tools. */
export function registerContent(seat: Seat, server: Server): void {
  const refused = permitServer(seat.served, seat.caller)
  const lists = (): Lists => (refused === undefined ? contentLists(seat) : NO_LISTS)
  server.setRequestHandler('resources/list', ({ params }) => (refuseCursor(params?.cursor), lists().resources))
  server.setRequestHandler(
    'resources/templates/list',
    ({ params }) => (refuseCursor(params?.cursor), lists().templates),
  )
  server.setRequestHandler('prompts/list', ({ params }) => (refuseCursor(params?.cursor), lists().prompts))
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    seat.busy(ctx, (signal) => read(seat, params, signal)),
  )
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    seat.busy(ctx, (signal) => getPrompt(seat, server, params, { ctx, signal })),
  )
  if (server.getCapabilities().completions !== undefined)
    server.setRequestHandler('completion/complete', ({ params }) => {
      if (refused !== undefined) throw protocolFault(refused)
      return complete(contentOf(seat.served, seat.caller), params.ref, params.argument)
    })
}

function contentLists({ served, caller }: Seat): Lists {
  const known = served.derived ? undefined : listsOf.get(served)
  if (known !== undefined) return known
  const lists = listsFor(contentOf(served, caller))
  if (!served.derived) listsOf.set(served, lists)
  return lists
}

function listsFor(served: Content): Lists {
  return {
    resources: { resources: served.resources.map((resource) => ({ uri: resource.uri, ...describe(resource) })) },
    templates: {
      resourceTemplates: served.templates.map((template) => ({
        uriTemplate: template.uriTemplate,
        ...describe(template),
      })),
    },
    prompts: {
      prompts: served.prompts.map(({ name, title, description, arguments: args }) => ({
        name,
        ...(title === undefined ? {} : { title }),
        description,
        ...(args === undefined ? {} : { arguments: args.map((argument) => ({ ...argument })) }),
      })),
    },
  }
}

interface Described {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType: string
}

const describe = ({ name, title, description, mimeType }: Described) => ({
  name,
  ...(title === undefined ? {} : { title }),
  description,
  mimeType,
})

/** What a client says beside a request: trace context, above all. */
interface WithMeta {
  readonly _meta?: Record<string, unknown> | undefined
}

async function read(
  seat: Seat,
  { uri, _meta: meta }: WithMeta & { readonly uri: string },
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const { catalog, caller, served } = seat
  if (uri.length > URI_CHARS_MAX)
    throw new ProtocolError(CODE.invalidParams, `A URI can have at most ${URI_CHARS_MAX} characters`)
  const outcome = await readResource(catalog, {
    caller,
    server: served.id,
    uri,
    signal,
    ...(meta === undefined ? {} : { meta }),
  })
  if (outcome.kind === 'contents') return { contents: [...outcome.contents] }
  throw outcome.kind === 'fault' ? protocolFault(outcome.fault) : new ResourceNotFoundError(uri)
}

async function getPrompt(
  seat: Seat,
  server: Server,
  params: WithMeta & { readonly name: string; readonly arguments?: Record<string, string> | undefined },
  { ctx, signal }: { readonly ctx: ServerContext; readonly signal: AbortSignal },
): Promise<GetPromptResult | InputRequiredResult> {
  const { catalog, caller, served } = seat
  const elicit = elicitOf(seat, server, ctx)
  const outcome = await renderPrompt(catalog, {
    caller,
    server: served.id,
    name: params.name,
    args: params.arguments ?? {},
    signal,
    elicit,
    ...(params._meta === undefined ? {} : { meta: params._meta }),
  })
  if (outcome.kind === 'messages') return promptResult(outcome.description, outcome.messages)
  if (outcome.kind === 'input-required') {
    if (!seat.reachable(ctx)) throw new ProtocolError(CODE.invalidRequest, UNREACHABLE_MESSAGE)
    return questions(outcome.requests, outcome.state)
  }
  throw promptFailure(outcome)
}

function promptFailure(outcome: Exclude<PromptOutcome, { kind: 'messages' | 'input-required' }>): ProtocolError {
  if (outcome.kind === 'fault') return protocolFault(outcome.fault)
  if (outcome.kind === 'invalid-state') return invalidState()
  const message =
    outcome.kind === 'unknown-prompt'
      ? `Unknown prompt: ${shortened(outcome.name)}`
      : `Missing required arguments: ${outcome.names.join(', ')}`
  return new ProtocolError(CODE.invalidParams, message)
}

const shortened = (name: string): string => name.slice(0, NAME_SHOWN_MAX).toWellFormed()

/** A fault outside a tool has no `isError` to travel in: it becomes a JSON-RPC error with the same words. */
export function protocolFault(fault: ToolFault): ProtocolError {
  const code = fault.kind === 'internal' || fault.kind === 'unavailable' ? CODE.internal : CODE.invalidParams
  return new ProtocolError(code, fault.message, { code: fault.code, recovery: fault.recovery })
}

type CompletionRef = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

function complete(served: Content, ref: CompletionRef, argument: { name: string; value: string }): CompleteResult {
  const values = completionsOf(served, ref, argument)
  const shown = values.slice(0, COMPLETIONS_MAX)
  return { completion: { values: shown, total: values.length, hasMore: values.length > shown.length } }
}

function completionsOf(served: Content, ref: CompletionRef, argument: { name: string; value: string }): string[] {
  if (ref.type === 'ref/prompt') {
    const prompt = served.prompts.find((candidate) => candidate.name === ref.name)
    if (prompt === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown prompt: ${shortened(ref.name)}`)
    return [...(prompt.complete?.(argument.name, argument.value) ?? [])]
  }
  const template = served.templates.find((candidate) => candidate.uriTemplate === ref.uri)
  if (template === undefined)
    throw new ProtocolError(CODE.invalidParams, `Unknown resource template: ${shortened(ref.uri)}`)
  return [...(template.complete?.(argument.name, argument.value) ?? [])]
}
