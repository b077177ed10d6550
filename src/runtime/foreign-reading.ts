// Reading, rendering and completing what a source has: the same caller, deadline, faults and observers as for our own, and an
// answer that is passed on as it came.
import { holderOf, withBorrowedContext, type Borrowed } from './borrowed.ts'
import type { Catalog } from './catalog.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'
import { fault, ToolFault } from './fault.ts'
import type { ContentKind, ForeignContent } from './foreign-content.ts'
import type { EndNote } from './hooks.ts'
import type { Call } from './outcome.ts'
import type { CompletionRef, WireObject } from './source.ts'
import { permitGuarded } from './steps/permit.ts'

/** A server, and the source in it that a name belongs to. */
export interface ForeignHold {
  readonly server: CompiledServer
  readonly content: ForeignContent
  readonly kind: ContentKind
  readonly name: string
}

/** Who serves this, if some source does; of a derived server only what the caller may see a part of. */
export function foreignHold(
  server: CompiledServer | undefined,
  caller: Caller,
  kind: ContentKind,
  name: string,
): ForeignHold | undefined {
  const contentIn = (part: CompiledServer): ForeignContent | undefined =>
    part.contents.find((content) => content.guardOf(kind, name) !== undefined)
  const holder = holderOf(server, caller, (part) => contentIn(part) !== undefined)
  const content = holder === undefined ? undefined : contentIn(holder)
  return holder === undefined || content === undefined ? undefined : { server: holder, content, kind, name }
}

/** Undefined when the caller may read this. */
export function permitHeld({ content, kind, name }: ForeignHold, caller: Caller): ToolFault | undefined {
  const guard = content.guardOf(kind, name)
  return guard === undefined ? fault('NOT_FOUND', 'It is not there any more.') : permitGuarded(guard, name, caller)
}

/** What `work` gives, or the fault that it ends with. Never rejects. */
export function throughForeign<Result>(
  catalog: Catalog,
  hold: ForeignHold,
  borrowed: Pick<Borrowed<Result | ToolFault>, 'call' | 'work' | 'note'>,
): Promise<Result | ToolFault> {
  const { server, kind, name } = hold
  const refused = permitHeld(hold, borrowed.call.caller)
  return withBorrowedContext<Result | ToolFault>(catalog, {
    ...borrowed,
    kind: kind === 'prompt' ? 'prompt' : 'resource',
    server,
    name,
    work: (ctx, run) => refused ?? borrowed.work(ctx, run),
  })
}

export interface CompletionCall {
  readonly caller: Caller
  readonly server: string
  readonly ref: CompletionRef
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> }
  readonly signal?: Call['signal']
}

/** The result of `completion/complete`; undefined where no source has what is to be completed. Never rejects. */
export async function completeForeign(
  catalog: Catalog,
  { caller, server, ref, argument, context, signal }: CompletionCall,
): Promise<WireObject | ToolFault | undefined> {
  const [kind, name] = ref.type === 'ref/prompt' ? (['prompt', ref.name] as const) : (['template', ref.uri] as const)
  const hold = foreignHold(catalog.server(server), caller, kind, name)
  if (hold === undefined) return undefined
  const call = { caller, server: hold.server.id, tool: name, ...(signal === undefined ? {} : { signal }) }
  return throughForeign<WireObject>(catalog, hold, {
    call,
    work: (ctx) => hold.content.source.complete(ref, argument, context, ctx),
  })
}

/** What observers are told of a result that came from elsewhere. */
export function noteOf(result: object): EndNote {
  if (result instanceof ToolFault) return { outcome: 'fault', code: result.code, isError: true }
  return { outcome: 'ok', bytes: Buffer.byteLength(JSON.stringify(result)) }
}
