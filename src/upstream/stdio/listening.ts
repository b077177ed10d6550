// 2026-07-28: changes of lists are told only to who listens. Opened where the server changes any, and again when it ends.
import { setTimeout as delay } from 'node:timers/promises'
import { objectOf } from '../../lib/json.ts'
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { RpcError, type JsonObject, type PeerFacts } from '../link.ts'
import type { Peer } from './peer.ts'

const AGAIN_MS = 1_000
const AGAIN_MS_MAX = 60_000

/** What to listen to, as the parameters of the request; undefined where nothing changes. */
export function changesOf({ era, capabilities }: PeerFacts): JsonObject | undefined {
  if (era !== '2026') return undefined
  const notifications: Record<string, true> = {}
  for (const list of ['tools', 'prompts', 'resources'])
    if (objectOf(capabilities[list])['listChanged'] === true) notifications[`${list}ListChanged`] = true
  return Object.keys(notifications).length === 0 ? undefined : { notifications }
}

/** Listens until the signal aborts. Never rejects. */
export async function listen(peer: Peer, params: JsonObject, signal: AbortSignal): Promise<void> {
  for (let wait = AGAIN_MS; !signal.aborted; wait = Math.min(wait * 2, AGAIN_MS_MAX)) {
    const since = performance.now()
    try {
      await peer.request('subscriptions/listen', params, { timeoutMs: Infinity, signal, own: true })
    } catch (error) {
      if (signal.aborted) return
      peer.notes.say('debug', 'it refused to tell of changes', () => ({ err: error }))
      if (error instanceof RpcError && error.code === RPC_CODE.methodNotFound) return
    }
    // One that lasted was honest; only those that end at once are asked less and less often.
    if (performance.now() - since > AGAIN_MS_MAX) wait = AGAIN_MS
    try {
      await delay(wait, undefined, { signal, ref: false })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
