// Runs the middleware chain with the handler at its end, and turns what comes out into an answer.
// Synchronous work stays synchronous: only a promise, or a queue, makes a call asynchronous.
import { GatewayError } from '../../errors.ts'
import type { CompiledTool } from '../compiled.ts'
import { ToolFault } from '../fault.ts'
import type { Outcome } from '../outcome.ts'
import { InputNeeded, ReadyReply } from '../reply.ts'
import type { Run } from '../run.ts'
import { refuse } from './answer.ts'
import { asFault } from './faults.ts'
import { fit } from './fit.ts'
import { present } from './present.ts'
import { invalidate, noteReply } from './record.ts'
import { inputRequired } from './state.ts'

/** The chain's value, or a promise of it. Never throws. */
export function handle(run: Run<CompiledTool>, input: object): unknown {
  run.started = true
  try {
    return run.target.chain(run, input)
  } catch (error) {
    return asFault(run, error)
  }
}

/** Present, fit and record; a result that comes too late is not worth rendering. Never throws. */
export function conclude(run: Run<CompiledTool>, value: unknown): Outcome {
  const { probe } = run
  if (value instanceof GatewayError) {
    probe?.step('handle', false)
    return refuse(run, asFault(run, value))
  }
  probe?.step('handle', true)
  if (value instanceof InputNeeded) return ask(run, value)
  if (run.target.invalidates.length > 0 && !(value instanceof ReadyReply && value.reply.isError === true))
    invalidate(run)
  if (run.isGone) return { kind: 'reply', reply: { content: [] } }
  let step: 'present' | 'fit' = 'present'
  try {
    const presented = present(run, value)
    probe?.step('present', true)
    step = 'fit'
    const fitted = fit(run, presented)
    probe?.step('fit', true)
    noteReply(run, fitted)
    return { kind: 'reply', reply: fitted }
  } catch (error) {
    probe?.step(step, false)
    return refuse(run, asFault(run, error))
  }
}

function ask(run: Run<CompiledTool>, needed: InputNeeded): Outcome {
  const outcome = run.target.canAsk
    ? inputRequired(run, needed)
    : asFault(run, new TypeError(`${run.target.publicName} asked for input without declaring "asks"`))
  return outcome instanceof ToolFault ? refuse(run, outcome) : outcome
}
