// One connection to a server that runs as a child process: the process, the protocol over its pipes, and their common end.
import { LinkFailure } from '../../lib/link.ts'
import type { JsonObject, Link, LinkEnd, OpenOptions, PeerFacts, RequestOptions } from '../../lib/link.ts'
import type { ChildRegister } from '../children.ts'
import { Child, type StdioTarget } from './child.ts'
import { shakeHands, type HandshakeOptions } from './handshake.ts'
import { Listening } from './listening.ts'
import { maskOf } from './notes.ts'
import { Peer } from './peer.ts'

export interface StdioSettings {
  /** The variables that every child gets: `childEnvironment` of the configuration. */
  readonly base: Readonly<Record<string, string>>
  readonly register?: ChildRegister
  readonly platform?: NodeJS.Platform
}

const NOTHING: JsonObject = Object.freeze({})
const STOPPED: LinkEnd = { reason: 'It was stopped.', wanted: true }

/** A connection that is being made, or is made. */
export class StdioLink implements Link {
  readonly closed: Promise<LinkEnd>
  readonly #peer: Peer
  readonly #child: Child
  readonly #register: ChildRegister | undefined
  #listening: Listening | undefined
  #end: LinkEnd | undefined
  #closing: Promise<void> | undefined
  #facts: PeerFacts | undefined

  constructor(target: StdioTarget, options: OpenOptions, settings: StdioSettings) {
    const { base, platform = process.platform, register } = settings
    const { promise, resolve } = Promise.withResolvers<LinkEnd>()
    this.closed = promise
    this.#register = register
    const { note } = options
    const mask = maskOf(Object.values(target.env))
    this.#peer = new Peer({
      write: (text, together) => this.#child.outbox.write(text, together),
      handlers: options.handlers,
      note,
      mask,
    })
    this.#child = new Child({
      target,
      base,
      platform,
      note,
      mask,
      onLine: (line) => this.#peer.take(line),
      onOver: (end) => {
        this.#end = end
        this.#listening?.close()
        this.#peer.end(end)
        resolve(end)
        void this.close()
      },
    })
    if (this.#child.pid !== undefined) register?.started(this.#child.pid, target.command)
  }

  get peer(): PeerFacts {
    if (this.#facts === undefined) throw new Error('not open yet')
    return this.#facts
  }

  get pending(): number {
    return this.#peer.pending
  }

  /** Undefined while it lives. */
  get end(): LinkEnd | undefined {
    return this.#end
  }

  /** What the child wrote to it last. */
  get stderr(): readonly string[] {
    return this.#child.stderr
  }

  /** @throws as `shakeHands` does */
  async open(options: HandshakeOptions): Promise<void> {
    const facts = await shakeHands(this.#peer, options)
    if (this.#end !== undefined) throw new LinkFailure(this.#end)
    if (this.#child.pid !== undefined) this.#register?.settled(this.#child.pid)
    this.#facts = facts
    if (facts.era === '2025') return
    this.#listening = new Listening(this.#peer, facts)
    this.#listening.start()
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#closing !== undefined)
      return Promise.reject(new LinkFailure({ ...(this.#end ?? STOPPED), unheard: true }))
    const { uri } = params
    if (this.#listening !== undefined && typeof uri === 'string') {
      // Gone in 2026-07-28, where one stream says all that is watched.
      if (method === 'resources/subscribe') return this.#listening.watch(uri).then(() => NOTHING)
      if (method === 'resources/unsubscribe') return this.#listening.unwatch(uri).then(() => NOTHING)
    }
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
    this.#listening?.close()
    await this.#child.end()
    if (this.#child.pid !== undefined) this.#register?.ended(this.#child.pid)
  }
}
