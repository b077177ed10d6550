// Which messages (`notifications/message`) a server is to send.
import type { Link } from '../lib/link.ts'
import type { HubLimits } from './limits.ts'
import type { Note } from './lists.ts'

/**
 * Asks a 2025 server for messages of its calls: without a word, some send none. Callers are given those that they want
 * themselves. A 2026 server is told with each call.
 */
export function hearMessages(link: Link, { listTimeoutMs }: Pick<HubLimits, 'listTimeoutMs'>, note: Note): void {
  const { capabilities, era } = link.peer
  if (era !== '2025' || capabilities['logging'] === undefined) return
  link
    .request('logging/setLevel', { level: 'info' }, { timeoutMs: listTimeoutMs })
    .catch((error: unknown) => note('debug', 'it takes no level of messages', { err: error }))
}
