// Connections to servers that are started as child processes and spoken to over their standard input and output.
import { toError } from '../../lib/thrown.ts'
import { LinkFailure, RpcError } from '../link.ts'
import type { JsonObject, Link, LinkEnd, OpenLink, OpenOptions, PeerFacts, RequestOptions } from '../link.ts'
import { LaunchRefused } from '../launch-plan.ts'
import { Child, startFailure, type StdioTarget } from './child.ts'
import { HandshakeRefused, shakeHands } from './handshake.ts'
import { changesOf, listen } from './listening.ts'
import { Peer } from './peer.ts'

/** Told of every process group that was started and of its end, so that none is left behind by a gateway that was killed. */
export interface ChildRegister {
  started(group: number): void
  /** All that it was to start has started. */
  settled(group: number): void
  ended(group: number): void
}

export interface StdioSettings {
  /** The variables that every child gets: `childEnvironment` of the configuration. */
  readonly base: Readonly<Record<string, string>>
  readonly register?: ChildRegister
  readonly platform?: NodeJS.Platform
}

/** A connection that is being made, or is made. */
class StdioLink implements Link {
  readonly closed: Promise<LinkEnd>
  readonly #peer: Peer
  readonly #child: Child
  readonly #register: ChildRegister | undefined
  readonly #listening = new AbortController()
  #end: LinkEnd | undefined
  #closing: Promise<void> | undefined
  #facts: PeerFacts | undefined

  constructor(target: StdioTarget, options: OpenOptions, settings: StdioSettings) {
    const { base, platform = process.platform, register } = settings
    const { promise, resolve } = Promise.withResolvers<LinkEnd>()
    this.closed = promise
    this.#register = register
    this.#peer = new Peer({
      write: (text, together) => this.#child.outbox.write(text, together),
      handlers: options.handlers,
      note: options.note,
    })
    this.#child = new Child({
      target,
      base,
      platform,
      note: options.note,
      onLine: (line) => this.#peer.take(line),
      onOver: (end) => {
        this.#end = end
        this.#listening.abort()
        this.#peer.end(end)
        resolve(end)
        void this.close()
      },
    })
    if (this.#child.pid !== undefined) register?.started(this.#child.pid)
  }

  get peer(): PeerFacts {
    if (this.#facts === undefined) throw new Error('not open yet')
    return this.#facts
  }

  get pending(): number {
    return this.#peer.pending
  }

  get end(): LinkEnd | undefined {
    return this.#end
  }

  get stderr(): readonly string[] {
    return this.#child.stderr
  }

  async open(
    options: Omit<Parameters<typeof shakeHands>[1], 'startTimeoutMs'> & { startTimeoutMs: number },
  ): Promise<void> {
    const facts = await shakeHands(this.#peer, options)
    if (this.#child.pid !== undefined) this.#register?.settled(this.#child.pid)
    this.#facts = facts
    const changes = changesOf(facts)
    if (changes !== undefined) void listen(this.#peer, changes, this.#listening.signal)
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#peer.request(method, params, options)
  }

  notify(method: string, params?: JsonObject): void {
    this.#peer.notify(method, params)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#listening.abort()
    await this.#child.end()
    if (this.#child.pid !== undefined) this.#register?.ended(this.#child.pid)
  }
}

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
    return new Failed(failureOf(error, link), ended?.exitCode !== undefined && ended.exitCode !== null)
  }
}

/** A failure of the start, with what the child said last. */
function failureOf(error: unknown, link: StdioLink): unknown {
  const stderr = link.stderr
  if (error instanceof LinkFailure) return new LinkFailure({ stderr, ...error.end })
  if (error instanceof HandshakeRefused) return new LinkFailure({ reason: error.message, wanted: false, stderr })
  if (!(error instanceof RpcError)) return toError(error)
  const reason = `It refused the handshake: ${error.message.slice(0, 200)} (${error.code})`
  return new LinkFailure({ reason, wanted: false, stderr })
}
