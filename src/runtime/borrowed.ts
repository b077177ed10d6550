// Resources and prompts borrow the context of a call: the same caller, factory, deadline and faults, without guards.
import type { Catalog } from './catalog.ts'
import type { CompiledServer } from './compiled.ts'
import type { ToolContext } from './context.ts'
import { fault, type ToolFault } from './fault.ts'
import { defaultLimits } from './limits.ts'
import type { Call } from './outcome.ts'
import { Run } from './run.ts'
import { asFault } from './steps/faults.ts'
import { permitServer } from './steps/permit.ts'

export interface Borrowed<Result> {
  readonly server: CompiledServer
  /** URI or name, for the log. */
  readonly name: string
  readonly call: Call
  work(ctx: ToolContext, run: Run): Result | Promise<Result>
}

/** @returns what `work` gave, or the fault it ended with. Answers early on abort and after the default deadline. */
export async function withBorrowedContext<Result>(
  catalog: Catalog,
  borrowed: Borrowed<Result>,
): Promise<Result | ToolFault> {
  const { server, name, call } = borrowed
  const { engine } = catalog
  const refused = permitServer(server, call.caller)
  if (refused !== undefined) return refused
  const run = new Run(
    engine,
    { server: server.id, publicName: name, semaphore: undefined, mutex: undefined },
    call,
    undefined,
  )
  const early = Promise.withResolvers<ToolFault>()
  const deadline = engine.deadlines.arm(defaultLimits.deadlineMs, () => {
    run.abort(new DOMException('The deadline has passed.', 'TimeoutError'))
    early.resolve(fault('TIMEOUT', `Reading ${name} took too long and was given up.`))
  })
  run.watchCaller(() => early.resolve(fault('CANCELLED', 'The caller cancelled the call.')))
  const answer = await Promise.race([settle(run, borrowed), early.promise])
  engine.deadlines.disarm(deadline)
  run.finish()
  return answer
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
