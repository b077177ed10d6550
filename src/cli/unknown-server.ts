// The sentence for a server that nobody declared.
import { nearest } from '../lib/nearest.ts'
import { UsageError } from './options.ts'

/** Names the servers that there are, the one that was most likely meant first. */
export function unknownServer(typed: string, ids: readonly string[]): UsageError {
  const near = nearest(typed, ids)
  const meant = near === undefined ? '.' : `; did you mean ${near}?`
  return new UsageError(`there is no server ${JSON.stringify(typed)}${meant} Servers: ${ids.join(', ')}.`)
}
