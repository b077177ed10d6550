// The state of a handler's own questions: sealed on the way out, opened on the way back, bounded in rounds.
import { sha256Hex } from '../../lib/hashing.ts'
import { fault, type ToolFault } from '../fault.ts'
import type { Outcome } from '../outcome.ts'
import type { InputNeeded } from '../reply.ts'
import type { Run } from '../run.ts'

const STATE_TTL_MS = 30 * 60_000
const ROUNDS_MAX = 8
const MARK_CHARS = 16

/** A caller's id without telling it: states travel through clients. */
export function callerMark(callerId: string): string {
  return sha256Hex(callerId).slice(0, MARK_CHARS)
}

/** Puts the opened state into the run. @returns false when it is not one of ours for this caller, server and tool */
export function openState(run: Run): boolean {
  const sealed = run.call.elicit?.state
  if (sealed === undefined) return true
  const payload = run.engine.seal.open(sealed)
  const { server, publicName } = run.target
  if (payload?.['k'] !== 'input' || payload['v'] !== server || payload['t'] !== publicName) return false
  if (payload['c'] !== callerMark(run.caller.id) || !(Number(payload['x']) > run.engine.clock.now())) return false
  run.openedState = String(payload['s'])
  run.rounds = Number(payload['r'])
  return true
}

export function inputRequired(run: Run, needed: InputNeeded): Outcome | ToolFault {
  if (run.call.elicit === undefined) return fault('ELICITATION_UNSUPPORTED', 'This client cannot be asked anything.')
  if (run.rounds >= ROUNDS_MAX)
    return fault('ELICITATION_ROUNDS_EXCEEDED', `The tool asked more than ${ROUNDS_MAX} times.`)
  const { engine, target } = run
  const state = engine.seal.close({
    k: 'input',
    c: callerMark(run.caller.id),
    v: target.server,
    t: target.publicName,
    x: engine.clock.now() + STATE_TTL_MS,
    s: needed.state,
    r: run.rounds + 1,
  })
  if (run.probe !== undefined) run.note = { outcome: 'input-required' }
  return { kind: 'input-required', requests: needed.requests, state }
}
