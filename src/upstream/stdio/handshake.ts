// Finds out which of the two kinds of MCP a server speaks, in one process and without waiting where it can be helped:
// `server/discover` first, and `initialize` where that is refused or met with silence.
import { isRecord, objectOf } from '../../lib/json.ts'
import { MCP_META, MODERN_VERSION, SESSION_VERSIONS } from '../../lib/mcp-names.ts'
import { RpcError, type Era, type JsonObject, type PeerFacts } from '../link.ts'
import { CLIENT_INFO } from './envelope.ts'
import type { Peer } from './peer.ts'

/** There are servers that hang on a request that they do not know. */
const SILENCE_MS = 2_000
const CHARS_MAX = 200

/** The other side answered, and what it speaks is not spoken here: one sentence. */
export class HandshakeRefused extends Error {}

export interface HandshakeOptions {
  readonly capabilities: JsonObject
  readonly era: Era | undefined
  readonly startTimeoutMs: number
  /** Aborts when there is no time left, or nobody waits any more. */
  readonly signal: AbortSignal
}

type Answer = { readonly result: JsonObject } | { readonly error: unknown }

class Handshake {
  readonly #peer: Peer
  readonly #options: HandshakeOptions

  constructor(peer: Peer, options: HandshakeOptions) {
    this.#peer = peer
    this.#options = options
  }

  /** With sessions first: what was found last time, or all that is left. */
  async sessionsFirst(): Promise<PeerFacts> {
    const answer = await this.#initialize()
    if ('result' in answer) return this.#opened(answer.result)
    if (!(answer.error instanceof RpcError)) throw answer.error
    const discovered = await this.#discover()
    if (speaksModern(discovered)) return this.#modern(discovered.result)
    throw answer.error
  }

  async modernFirst(): Promise<PeerFacts> {
    const discovering = this.#discover()
    // Known to speak it: then silence means that it is slow to start, and a second question would mislead it.
    const patienceMs = this.#options.era === '2026' ? this.#options.startTimeoutMs / 2 : SILENCE_MS
    const answer = await within(discovering, patienceMs)
    if (answer === undefined) return this.#afterSilence(discovering)
    if (speaksModern(answer)) return this.#modern(answer.result)
    if ('error' in answer && !(answer.error instanceof RpcError)) throw answer.error
    return this.#sessionsLast()
  }

  /** Both were asked. A server that answers `initialize` has decided for sessions, whatever it said before. */
  async #afterSilence(discovering: Promise<Answer>): Promise<PeerFacts> {
    const initializing = this.#initialize()
    await Promise.race([initializing, discovering])
    const opened = await within(initializing, SILENCE_MS)
    if (opened !== undefined && 'result' in opened) return this.#opened(opened.result)
    const discovered = await within(discovering, SILENCE_MS)
    if (discovered !== undefined && speaksModern(discovered)) return this.#modern(discovered.result)
    const answer = opened ?? (await initializing)
    if ('error' in answer) throw answer.error
    return this.#opened(answer.result)
  }

  async #sessionsLast(): Promise<PeerFacts> {
    const answer = await this.#initialize()
    if ('error' in answer) throw answer.error
    return this.#opened(answer.result)
  }

  #initialize(): Promise<Answer> {
    const [protocolVersion] = SESSION_VERSIONS
    const { capabilities } = this.#options
    return this.#ask('initialize', { protocolVersion, capabilities, clientInfo: CLIENT_INFO }, '2025')
  }

  #discover(): Promise<Answer> {
    return this.#ask('server/discover', {}, '2026')
  }

  async #ask(method: string, params: JsonObject, era: Era): Promise<Answer> {
    const { signal } = this.#options
    this.#peer.era = era
    try {
      return { result: await this.#peer.request(method, params, { timeoutMs: Infinity, signal, own: true }) }
    } catch (error) {
      return { error }
    }
  }

  #opened(result: JsonObject): PeerFacts {
    const version = result['protocolVersion']
    if (typeof version !== 'string' || !SESSION_VERSIONS.includes(version))
      throw new HandshakeRefused(`It speaks ${short(version)}, which is not spoken here.`)
    this.#peer.era = '2025'
    this.#peer.notify('notifications/initialized')
    return factsOf('2025', version, result, result['serverInfo'])
  }

  #modern(result: JsonObject): PeerFacts {
    this.#peer.era = '2026'
    const info = objectOf(result['_meta'])[MCP_META.serverInfo]
    return factsOf('2026', MODERN_VERSION, result, info ?? result['serverInfo'])
  }
}

/** @throws what the server answered to its last chance, HandshakeRefused, LinkFailure, or the reason of the signal */
export function shakeHands(peer: Peer, options: HandshakeOptions): Promise<PeerFacts> {
  const handshake = new Handshake(peer, options)
  return options.era === '2025' ? handshake.sessionsFirst() : handshake.modernFirst()
}

function speaksModern(answer: Answer): answer is { readonly result: JsonObject } {
  if (!('result' in answer)) return false
  const versions = answer.result['supportedVersions']
  return Array.isArray(versions) && versions.includes(MODERN_VERSION)
}

/** Undefined where it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const short = (value: unknown): string => JSON.stringify(value)?.slice(0, CHARS_MAX) ?? 'nothing'
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, CHARS_MAX) : '')

function factsOf(era: Era, protocolVersion: string, result: JsonObject, info: unknown): PeerFacts {
  const { capabilities, instructions } = result
  return {
    era,
    protocolVersion,
    name: textOf(objectOf(info)['name']),
    version: textOf(objectOf(info)['version']),
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}
