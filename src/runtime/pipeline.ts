// The steps of a call in order: permit, check, context, guard, confirm, handle, present, fit, record.
// Guards come before the confirmation, so that a busy tool never uses up a token and nothing changes in between.
import type { CompiledTool } from './compiled.ts'
import { fault, ToolFault } from './fault.ts'
import { Flight } from './flight.ts'
import type { Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import { refuse } from './steps/answer.ts'
import { check, type Checked } from './steps/check.ts'
import { confirm } from './steps/confirm.ts'
import { asFault } from './steps/faults.ts'
import { continueReply } from './steps/fit.ts'
import { enterLater, enterNow } from './steps/guard.ts'
import { conclude, handle } from './steps/handle.ts'
import { permit } from './steps/permit.ts'
import { noteReply } from './steps/record.ts'
import { openState } from './steps/state.ts'

/** Runs one compiled tool. Synchronous unless something has to be waited for. Never throws, never rejects. */
export function proceed(run: Run<CompiledTool>, params: unknown): Outcome | Promise<Outcome> {
  const { target: tool, probe } = run
  const refused = permit(tool, run.caller)
  probe?.step('permit', refused === undefined)
  if (refused !== undefined) return refuse(run, refused)
  const checked = check(tool, params)
  probe?.step('check', !(checked instanceof ToolFault))
  if (checked instanceof ToolFault) return refuse(run, checked)
  if ('more' in checked) return readOn(run, checked.more)
  if (run.cameGone) return refuse(run, fault('CANCELLED', 'The caller cancelled the call.'))
  if (run.call.elicit?.state !== undefined && tool.effect !== 'destroy' && !openState(run))
    return { kind: 'invalid-state' }
  return withContext(run, checked)
}

function readOn(run: Run<CompiledTool>, more: string): Outcome {
  const page = continueReply(run, more)
  if (page instanceof ToolFault) return refuse(run, page)
  noteReply(run, page)
  return { kind: 'reply', reply: page }
}

/** The context factory runs here, once. */
function withContext(run: Run<CompiledTool>, checked: Checked): Outcome | Promise<Outcome> {
  const { context } = run.engine
  if (context === undefined) return guarded(run, checked)
  const { caller, target, call } = run
  try {
    const parts = context({ caller, server: target.server, tool: target.name, meta: call.meta })
    if (parts instanceof Promise) {
      return fly(run, true, () =>
        parts.then((made) => {
          run.parts = made
          return guarded(run, checked)
        }),
      )
    }
    run.parts = parts
  } catch (error) {
    return refuse(run, asFault(run, error))
  }
  return guarded(run, checked)
}

function guarded(run: Run<CompiledTool>, checked: Checked): Outcome | Promise<Outcome> {
  if (run.isGone) return refuse(run, fault('CANCELLED', 'The caller cancelled the call.'))
  let entered: boolean
  try {
    entered = enterNow(run, checked.input)
  } catch (error) {
    return ended(run, asFault(run, error))
  }
  if (entered) {
    run.probe?.step('guard', true)
    return confirmed(run, checked)
  }
  return fly(run, false, async () => {
    const refused = await enterLater(run)
    run.probe?.step('guard', refused === undefined)
    return refused === undefined ? confirmed(run, checked) : ended(run, refused)
  })
}

function confirmed(run: Run<CompiledTool>, checked: Checked): Outcome | Promise<Outcome> {
  if (run.target.effect !== 'destroy' || run.engine.confirm === 'off') return handled(run, checked.input)
  return fly(run, true, async () => {
    const answer = await confirm(run, checked.input, checked.confirmToken)
    run.probe?.step('confirm', answer === undefined)
    if (answer instanceof ToolFault) return ended(run, answer)
    if (answer !== undefined) return answer
    return run.isGone ? ended(run, fault('CANCELLED', 'The caller cancelled the call.')) : handled(run, checked.input)
  })
}

function handled(run: Run<CompiledTool>, input: object): Outcome | Promise<Outcome> {
  const value = handle(run, input)
  if (!isThenable(value)) return ended(run, value)
  const finish = (result: unknown) => ended(run, result)
  if (run.flight === undefined) return takeOff(run, value, finish, true)
  run.flight.armDeadline()
  return Promise.resolve(value).then(finish, (error: unknown) => ended(run, asFault(run, error)))
}

function ended(run: Run<CompiledTool>, value: unknown): Outcome {
  const outcome = conclude(run, value)
  run.finish()
  return outcome
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Goes on asynchronously, inside the flight that the run is in already or in a new one. */
function fly(run: Run<CompiledTool>, timed: boolean, work: () => Promise<Outcome>): Promise<Outcome> {
  if (run.flight === undefined) return takeOff(run, work(), unchanged, timed)
  if (timed) run.flight.armDeadline()
  return work()
}

const unchanged = (outcome: Outcome): Outcome => outcome

function takeOff<Value>(
  run: Run<CompiledTool>,
  work: PromiseLike<Value>,
  finish: (value: Value) => Outcome,
  timed: boolean,
): Promise<Outcome> {
  const flight = new Flight(run, run.target.limits.deadlineMs)
  run.flight = flight
  const answer = flight.launch(work, finish)
  if (timed) flight.armDeadline()
  return answer
}
