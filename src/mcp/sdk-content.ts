// Resources, prompts and completion of a mount, for the SDK's server. Lists are made once per catalog, not per client.
import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type {
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
import { permitServer } from '../runtime/steps/permit.ts'
import { contentOf, shortened, type Content } from './own-content.ts'
import { CODE } from './protocol.ts'
import { protocolFault } from './protocol-fault.ts'
import { elicitOf, invalidState, listenersOf } from './sdk-calls.ts'
import { complete } from './sdk-completion.ts'
import { listOf, promptAnswer, promptResult, questions, readResult } from './sdk-types.ts'
import { URI_CHARS_MAX } from './subscriptions.ts'
import { callerAt, refuseCursor, UNREACHABLE_MESSAGE, type Seat } from './seat.ts'

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

/** Registers everything but tools. */
export function registerContent(seat: Seat, server: Server): void {
  const refused = permitServer(seat.served, seat.caller)
  const lists = (params: { cursor?: string | undefined } | undefined, ctx: ServerContext): Lists => {
    refuseCursor(params?.cursor)
    return refused === undefined ? contentLists(seat, callerAt(seat, server, ctx)) : NO_LISTS
  }
  server.setRequestHandler('resources/list', ({ params }, ctx) => lists(params, ctx).resources)
  server.setRequestHandler('resources/templates/list', ({ params }, ctx) => lists(params, ctx).templates)
  server.setRequestHandler('prompts/list', ({ params }, ctx) => lists(params, ctx).prompts)
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    seat.busy(ctx, (signal) => read(seat, server, params, { ctx, signal })),
  )
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    seat.busy(ctx, (signal) => getPrompt(seat, server, params, { ctx, signal })),
  )
  if (server.getCapabilities().completions !== undefined)
    server.setRequestHandler('completion/complete', ({ params }, ctx) => {
      if (refused !== undefined) throw protocolFault(refused)
      return seat.busy(ctx, (signal) => complete(seat, callerAt(seat, server, ctx), params, signal))
    })
}

function contentLists({ served }: Seat, caller: Caller): Lists {
  const known = served.derived ? undefined : listsOf.get(served)
  const own = known ?? listsFor(contentOf(served, caller))
  if (!served.derived) listsOf.set(served, own)
  return served.contents.length === 0 ? own : withForeign(own, served, caller)
}

/** Ours first, then what others have, as they have it. */
function withForeign({ resources, templates, prompts }: Lists, served: CompiledServer, caller: Caller): Lists {
  const foreign = served.contents.map((content) => content.lists(caller))
  return {
    resources: listOf(resources, 'resources', [...resources.resources, ...foreign.flatMap((each) => each.resources)]),
    templates: listOf(templates, 'resourceTemplates', [
      ...templates.resourceTemplates,
      ...foreign.flatMap((each) => each.templates),
    ]),
    prompts: listOf(prompts, 'prompts', [...prompts.prompts, ...foreign.flatMap((each) => each.prompts)]),
  }
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
  server: Server,
  params: WithMeta & { readonly uri: string },
  { ctx, signal }: { readonly ctx: ServerContext; readonly signal: AbortSignal },
): Promise<ReadResourceResult> {
  const { catalog, served } = seat
  const { uri } = params
  if (uri.length > URI_CHARS_MAX)
    throw new ProtocolError(CODE.invalidParams, `A URI can have at most ${URI_CHARS_MAX} characters`)
  const outcome = await readResource(catalog, {
    caller: callerAt(seat, server, ctx),
    server: served.id,
    uri,
    signal,
    ...listenersOf(seat, params, ctx),
  })
  if (outcome.kind === 'result') return readResult(outcome.result)
  if (outcome.kind === 'contents') return { contents: [...outcome.contents] }
  throw outcome.kind === 'fault' ? protocolFault(outcome.fault) : new ResourceNotFoundError(uri)
}

async function getPrompt(
  seat: Seat,
  server: Server,
  params: WithMeta & { readonly name: string; readonly arguments?: Record<string, string> | undefined },
  { ctx, signal }: { readonly ctx: ServerContext; readonly signal: AbortSignal },
): Promise<GetPromptResult | InputRequiredResult> {
  const { catalog, served } = seat
  const elicit = elicitOf(seat, server, ctx)
  const outcome = await renderPrompt(catalog, {
    caller: callerAt(seat, server, ctx),
    server: served.id,
    name: params.name,
    args: params.arguments ?? {},
    signal,
    elicit,
    ...listenersOf(seat, params, ctx),
  })
  if (outcome.kind === 'result') return promptAnswer(outcome.result)
  if (outcome.kind === 'messages') return promptResult(outcome.description, outcome.messages)
  if (outcome.kind === 'input-required') {
    if (!seat.reachable(ctx)) throw new ProtocolError(CODE.invalidRequest, UNREACHABLE_MESSAGE)
    return questions(outcome.requests, outcome.state)
  }
  throw promptFailure(outcome)
}

function promptFailure(
  outcome: Exclude<PromptOutcome, { kind: 'messages' | 'result' | 'input-required' }>,
): ProtocolError {
  if (outcome.kind === 'fault') return protocolFault(outcome.fault)
  if (outcome.kind === 'invalid-state') return invalidState()
  const message =
    outcome.kind === 'unknown-prompt'
      ? `Unknown prompt: ${shortened(outcome.name)}`
      : `Missing required arguments: ${outcome.names.join(', ')}`
  return new ProtocolError(CODE.invalidParams, message)
}
