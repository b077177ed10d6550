// How a source is doing, in one word, from the phases of its connections. Pure.
import type { SourceState } from '../runtime/source.ts'
import type { Phase } from './supervisor.ts'

/**
 * The best of its connections speaks for it.
 * @param failed it has a fault that is not over
 * @param wasReady it has worked since the start, so that it is likely to again
 */
export function stateOf(
  phases: readonly Phase[],
  { failed, wasReady }: { readonly failed: boolean; readonly wasReady: boolean },
): SourceState {
  if (phases.includes('ready')) return 'ready'
  if (phases.includes('open-circuit')) return 'failed'
  if (phases.includes('starting')) return failed && !wasReady ? 'failed' : 'starting'
  if (phases.includes('backoff')) return wasReady ? 'backoff' : 'failed'
  return failed ? 'failed' : 'idle'
}
