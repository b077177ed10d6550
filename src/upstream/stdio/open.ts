// Connections to servers that are started as child processes and spoken to over their standard input and output.
import { LinkFailure, RpcError } from '../../lib/link.ts'
import type { Link, OpenLink, OpenOptions } from '../../lib/link.ts'
import { LaunchRefused } from '../launch-plan.ts'
import { startFailure, type StdioTarget } from './child.ts'
import { HandshakeRefused } from './handshake.ts'
import { StdioLink, type StdioSettings } from './stdio-link.ts'

/** @returns makes connections to targets of kind `stdio` */
export function openStdio(settings: StdioSettings): OpenLink {
  return async (target, options) => {
    if (target.kind !== 'stdio') throw new TypeError('not a command')
    const { signal, startTimeoutMs } = options
    const limit = new AbortController()
    const late = new LinkFailure({ reason: `It did not finish its start within ${startTimeoutMs} ms.`, wanted: false })
    const timer = setTimeout(() => limit.abort(late), startTimeoutMs)
    const cancel = (): void => limit.abort(signal?.reason)
    if (signal?.aborted === true) cancel()
    signal?.addEventListener('abort', cancel)
    try {
      limit.signal.throwIfAborted()
      return await opened(target, { ...options, signal: limit.signal }, settings)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

/** There are servers that die of a first request that they do not know: those are started once more, and asked as of old. */
async function opened(
  target: StdioTarget,
  options: OpenOptions & { readonly signal: AbortSignal },
  settings: StdioSettings,
): Promise<Link> {
  const first = await attempt(target, options, settings)
  if (!(first instanceof Failed)) return first
  if (!first.mayBeOfTheProbe || options.era === '2025' || options.signal.aborted) throw first.reason
  const second = await attempt(target, { ...options, era: '2025' }, settings)
  if (second instanceof Failed) throw second.reason
  return second
}

class Failed {
  readonly reason: unknown
  /** It ended by itself before it had answered anything. */
  readonly mayBeOfTheProbe: boolean

  constructor(reason: unknown, mayBeOfTheProbe: boolean) {
    this.reason = reason
    this.mayBeOfTheProbe = mayBeOfTheProbe
  }
}

async function attempt(
  target: StdioTarget,
  options: OpenOptions & { readonly signal: AbortSignal },
  settings: StdioSettings,
): Promise<StdioLink | Failed> {
  let link: StdioLink
  try {
    link = new StdioLink(target, options, settings)
  } catch (error) {
    const reason = error instanceof LaunchRefused ? error.message : startFailure(error, target)
    return new Failed(new LinkFailure({ reason, wanted: false }), false)
  }
  try {
    const { capabilities, era, startTimeoutMs, signal } = options
    await link.open({ capabilities, era, startTimeoutMs, signal })
    return link
  } catch (error) {
    const ended = link.end
    await link.close()
    const died = ended !== undefined && (ended.exitCode ?? ended.signal ?? null) !== null
    return new Failed(failureOf(error, link), died && !ended.wanted)
  }
}

/** A failure of the start, with what the child said last. */
function failureOf(error: unknown, link: StdioLink): unknown {
  const stderr = link.stderr
  if (error instanceof LinkFailure) return new LinkFailure({ stderr, ...error.end })
  if (error instanceof HandshakeRefused) return new LinkFailure({ reason: error.message, wanted: false, stderr })
  if (!(error instanceof RpcError)) return error
  const reason = `It refused the handshake: ${error.message.slice(0, 200)} (${error.code})`
  return new LinkFailure({ reason, wanted: false, stderr })
}
