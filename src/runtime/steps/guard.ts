// The guards in front of a handler: for writes the key of the mutex, then a slot of the semaphore. In this order a
// queue on one key occupies no slots, and calls on a key start exactly in order of arrival.
import type { CompiledTool } from '../compiled.ts'
import { fault, type ToolFault } from '../fault.ts'
import type { LockKey } from '../guards/keyed-mutex.ts'
import type { Waiter } from '../guards/wait-queue.ts'
import type { Run } from '../run.ts'

const WHOLE_TOOL = ''

/** True when everything needed is held; false when the call has to queue. */
export function enterNow(run: Run<CompiledTool>, input: object): boolean {
  const { semaphore, mutex } = run.target
  if (mutex !== undefined) {
    run.pass.key = keyOf(run.target, input)
    if (!mutex.tryLock(run.pass.key)) return false
    run.pass.gotKey()
  }
  if (!semaphore.tryEnter()) return false
  run.pass.gotSlot()
  return true
}

/** Queues for what `enterNow` did not get. @returns undefined when everything is held */
export async function enterLater(run: Run<CompiledTool>): Promise<ToolFault | undefined> {
  const { semaphore, mutex, limits } = run.target
  const { pass } = run
  if (mutex !== undefined && pass.key !== undefined && !pass.hasKey) {
    const refused = await wait(run, mutex.wait(pass.key), limits.waitMs, () => pass.gotKey())
    if (refused !== undefined) return refused
  }
  if (!semaphore.tryEnter()) return wait(run, semaphore.wait(), limits.waitMs, () => pass.gotSlot())
  pass.gotSlot()
  return undefined
}

function keyOf(tool: CompiledTool, input: object): LockKey {
  return tool.declaration.serializeBy?.(input) ?? WHOLE_TOOL
}

/** A granted turn is always recorded, even when the caller has gone meanwhile: only then can it be given back. */
async function wait(
  run: Run<CompiledTool>,
  waiter: Waiter | undefined,
  waitMs: number,
  onGranted: () => void,
): Promise<ToolFault | undefined> {
  if (waiter === undefined) return busy(run.target)
  run.waiter = waiter
  const { deadlines } = run.engine
  const deadline = deadlines.arm(waitMs, () => waiter.giveUp())
  const granted = await waiter.turn
  deadlines.disarm(deadline)
  run.waiter = undefined
  if (granted) onGranted()
  if (run.isGone) return fault('CANCELLED', 'The caller cancelled the call.')
  return granted ? undefined : busy(run.target)
}

function busy(tool: CompiledTool): ToolFault {
  const retryAfterMs = Math.max(1000, Math.min(tool.limits.waitMs, 5000))
  return fault('SERVER_BUSY', `${tool.publicName} is busy with other calls.`, { retryAfterMs })
}
