// Resources and prompts borrow the context of a call: the same caller, factory, deadline, faults and observers, without guards.
import type { Catalog } from './catalog.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller, ToolContext } from './context.ts'
import { fault, ToolFault, type ToolCode } from './fault.ts'
import type { EndNote } from './hooks.ts'
import { defaultLimits } from './limits.ts'
import type { SubjectKind } from './observe.ts'
import type { Call } from './outcome.ts'
import { Run } from './run.ts'
import { asFault } from './steps/faults.ts'
import { permitServer } from './steps/permit.ts'

export interface Borrowed<Result> {
  readonly kind: Exclude<SubjectKind, 'tool'>
  readonly server: CompiledServer
  /** As declared: URI, URI template or name. */
  readonly name: string
  readonly call: Call
  work(ctx: ToolContext, run: Run): Result | Promise<Result>
  /** What observers are told of a result; asked only while somebody watches. Without it they are told nothing at all. */
  note?: (result: Result) => EndNote
}

/** @returns what `work` gave, or the fault it ended with. Answers early on abort and after the default deadline. */
export async function withBorrowedContext<Result>(
  catalog: Catalog,
  borrowed: Borrowed<Result>,
): Promise<Result | ToolFault> {
  const { kind, server, name, call, note } = borrowed
  const { engine } = catalog
  const hooks = note === undefined ? undefined : engine.hooks
  const probe = hooks?.probe(call, { kind, server: server.id, name, effect: 'read', middlewares: 0 })
  const target = { server: server.id, publicName: name, semaphore: undefined, mutex: undefined }
  const run = new Run(engine, target, call, probe)
  const answer = permitServer(server, call.caller) ?? (await race(run, borrowed))
  if (note !== undefined) probe?.end(answer instanceof ToolFault ? noteOf(answer, run) : note(answer))
  return answer
}

/** The server itself; of a derived one the part that has what is asked for, if this caller may see it. */
export function holderOf(
  server: CompiledServer | undefined,
  caller: Caller,
  has: (part: CompiledServer) => boolean,
): CompiledServer | undefined {
  if (server === undefined || !server.derived) return server
  return server.parts.find((part) => part.access(caller) !== 'none' && has(part))
}

/** Tells observers of a resource or prompt that nobody declares, or that could not be asked for as it was. */
export function noteUnmet(catalog: Catalog, call: Call, kind: SubjectKind, note: EndNote): void {
  const { server, tool: name } = call
  catalog.engine.hooks?.probe(call, { kind, server, name, effect: undefined, middlewares: 0 }).end(note)
}

async function race<Result>(run: Run, borrowed: Borrowed<Result>): Promise<Result | ToolFault> {
  const { engine, probe } = run
  const early = Promise.withResolvers<{ readonly given: ToolFault }>()
  const giveUp = (code: ToolCode, message: string): void => early.resolve({ given: fault(code, message) })
  const deadline = engine.deadlines.arm(defaultLimits.deadlineMs, () => {
    run.abort(new DOMException('The deadline has passed.', 'TimeoutError'))
    giveUp('TIMEOUT', `Reading ${borrowed.name} took too long and was given up.`)
  })
  run.watchCaller(() => giveUp('CANCELLED', 'The caller cancelled the call.'))
  const work = run.isGone ? undefined : settle(run, borrowed)
  const first = await Promise.race([early.promise, work?.then((result) => ({ result })) ?? early.promise])
  engine.deadlines.disarm(deadline)
  run.finish()
  if ('result' in first) return first.result
  if (probe !== undefined) void work?.then((late) => probe.late(!(late instanceof ToolFault)))
  return first.given
}

async function settle<Result>(run: Run, borrowed: Borrowed<Result>): Promise<Result | ToolFault> {
  try {
    const { caller, meta } = run.call
    const parts = await run.engine.context?.({ caller, server: borrowed.server.id, tool: borrowed.name, meta })
    if (parts !== undefined) run.parts = parts
    return await borrowed.work(run, run)
  } catch (error) {
    return asFault(run, error)
  }
}

function noteOf({ code }: ToolFault, { incident }: Run): EndNote {
  return { outcome: 'fault', code, isError: true, ...(incident === undefined ? {} : { incident }) }
}
