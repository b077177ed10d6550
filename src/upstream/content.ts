// Resources, templates, prompts and completions of external servers, under their public names and addresses.
import { isRecord } from '../lib/json.ts'
import type { JsonObject } from '../lib/link.ts'
import type { Caller, ToolContext } from '../runtime/context.ts'
import { fault, ToolFault } from '../runtime/fault.ts'
import { InputNeeded } from '../runtime/reply.ts'
import type { CompletionRef, ContentSource, WireObject } from '../runtime/source.ts'
import { metaFor, type Order } from './bridge.ts'
import type { External } from './external.ts'
import { contentResult } from './results.ts'
import type { Showing } from './shelf.ts'
import type { Found } from './watches.ts'

const NOTHING: WireObject = Object.freeze({ completion: { values: [], total: 0, hasMore: false } })

type Find = (uri: string) => Found | undefined

/** @param at what a public address leads to. @param watch as `ContentSource.watch` */
export function contentOver(at: Find, showing: () => Showing, watch: ContentSource['watch']): ContentSource {
  return Object.freeze({
    resources: (caller: Caller) => showing().shownTo(caller).resources,
    templates: (caller: Caller) => showing().shownTo(caller).templates,
    prompts: (caller: Caller) => showing().shownTo(caller).prompts,
    areaOfUri: (uri: string) => at(uri)?.external.spec.id,
    areaOfTemplate: (uriTemplate: string) => showing().routes.templates.get(uriTemplate),
    areaOfPrompt: (name: string) => showing().routes.prompts.get(name)?.external.spec.id,
    async read(uri: string, ctx: ToolContext) {
      const place = at(uri)
      if (place === undefined) return undefined
      const { external } = place
      const order = orderFor(
        external,
        'resources/read',
        { uri: place.uri },
        { subject: uri, asks: false, follows: true },
        ctx,
      )
      const answer = await external.bridge.carry(order, ctx)
      return answer instanceof ToolFault && answer.code === 'NOT_FOUND' ? undefined : unasked(answer)
    },
    async getPrompt(name: string, args: Readonly<Record<string, string>>, ctx: ToolContext) {
      const route = showing().routes.prompts.get(name)
      if (route === undefined) return undefined
      const { external, prompt } = route
      const params = { name: prompt.original, arguments: args }
      return external.bridge.carry(
        orderFor(external, 'prompts/get', params, { subject: name, asks: true, follows: true }, ctx),
        ctx,
      )
    },
    async complete(
      ref: CompletionRef,
      argument: { readonly name: string; readonly value: string },
      context: { readonly arguments?: Readonly<Record<string, string>> } | undefined,
      ctx: ToolContext,
    ) {
      const found = completed(ref, showing(), at)
      if (found === undefined || found.external.definitions.peer?.capabilities['completions'] === undefined)
        return NOTHING
      const { external } = found
      const params = { ref: found.ref, argument, ...(context === undefined ? {} : { context }) }
      const order = orderFor(
        external,
        'completion/complete',
        params,
        { subject: ref.type, asks: false, follows: false },
        ctx,
      )
      const answer = await external.bridge.carry(order, ctx)
      if (answer instanceof ToolFault || answer instanceof InputNeeded) return unasked(answer)
      return isRecord(answer['completion']) ? answer : NOTHING
    },
    watch,
  })
}

function completed(
  ref: CompletionRef,
  { routes }: Showing,
  at: Find,
): { readonly external: External; readonly ref: CompletionRef } | undefined {
  if (ref.type === 'ref/prompt') {
    const route = routes.prompts.get(ref.name)
    return route && { external: route.external, ref: { type: ref.type, name: route.prompt.original } }
  }
  const place = at(ref.uri)
  return place && { external: place.external, ref: { type: ref.type, uri: place.uri } }
}

/** Asking for content changes nothing, so it may be asked for twice. */
function orderFor(
  { spec }: External,
  method: string,
  params: JsonObject,
  how: Pick<Order<WireObject>, 'subject' | 'asks' | 'follows'>,
  ctx: ToolContext,
): Order<WireObject> {
  const meta = metaFor(ctx)
  return {
    method,
    params: meta === undefined ? params : { ...params, _meta: meta },
    ...how,
    isRead: true,
    timeoutMs: spec.timeoutMs,
    finish: (result) => contentResult(spec.id, result),
  }
}

/** Where nobody can be asked, a question is a fault. */
function unasked(answer: WireObject | InputNeeded | ToolFault): WireObject | ToolFault {
  return answer instanceof InputNeeded
    ? fault('ELICITATION_UNSUPPORTED', 'The server wants to ask something before it answers.')
    : answer
}
