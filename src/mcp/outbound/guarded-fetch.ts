// A fetch that never leads to where machines of a cloud get their credentials: not by its URL, not by a redirect, and not by
// what its name resolves to. A name can be resolved to something else between a look and the connection, so the connection
// itself is looked at, before a byte is sent over it.
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { isForbiddenHost } from '../../config/forbidden-hosts.ts'
import { isRecord } from '../../lib/json.ts'
import { boundedBody } from './bounded-body.ts'

const REASON = 'it leads to link-local addresses, where machines of a cloud get their credentials'

/** By `host:port` as connections name it: what may not be behind it. One for each host that a link was made to. */
const guarded = new Map<string, (address: string) => boolean>()

/** Follows no redirect: whoever calls it does, hop by hop. @throws TypeError before anything is sent to such a place */
export function guardedFetch(isForbidden: (host: string) => boolean = isForbiddenHost): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (isForbidden(url.hostname)) throw new TypeError(REASON)
    watchConnections()
    guarded.set(url.host, isForbidden)
    return boundedBody(await fetch(input, { ...init, redirect: 'manual' }))
  }
}

let isWatching = false

/** Node says of every connection of its HTTP client that it stands (undici, Diagnostics Channel). */
function watchConnections(): void {
  if (isWatching) return
  isWatching = true
  subscribe('undici:client:connected', (message) => {
    if (!isRecord(message) || !isRecord(message['connectParams']) || !isSocket(message['socket'])) return
    const { socket } = message
    const isForbidden = guarded.get(String(message['connectParams']['host']))
    if (isForbidden?.(socket.remoteAddress ?? '') === true) socket.destroy(new Error(REASON))
  })
}

const isSocket = (value: unknown): value is Socket =>
  typeof value === 'object' && value !== null && 'remoteAddress' in value && 'destroy' in value
