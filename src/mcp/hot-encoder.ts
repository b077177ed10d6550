// Turns outcomes into the text of an answer, the way the SDK words them, with everything constant prepared once.
import { Recent } from '../lib/recent.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Outcome } from '../runtime/outcome.ts'
import type { Reply } from '../runtime/reply.ts'
import type { RequestId } from './answer.ts'
import { capabilitiesOf, identityOf, LIST_TTL_MS } from './identity.ts'
import { CODE, META, MODERN_VERSION } from './protocol.ts'

/** Lists kept ready: one per level of access that has asked. */
const LISTS_MAX = 32

/** An answer in two parts: what many answers share, not copied for each of them, and the end that is its own. */
export type Segments = readonly [head: Buffer, tail: Buffer]

const idText = (id: RequestId): string => (typeof id === 'number' ? String(id) : JSON.stringify(id))

const CACHE = `"ttlMs":${LIST_TTL_MS},"cacheScope":"private"`

export class HotEncoder {
  readonly #identity: object
  /** Ends every 2026 result without `_meta` of its own. */
  readonly #seal: string
  /** `server/discover` by what the caller is told; it depends on nothing else. */
  readonly #discoveries = new Recent<string | undefined, string>(LISTS_MAX)
  readonly #capabilities: object
  readonly #modernLists = new Recent<string, Buffer>(LISTS_MAX)
  readonly #sessionLists = new Recent<string, Buffer>(LISTS_MAX)
  readonly #sizes = new Recent<string, number>(LISTS_MAX)

  constructor(served: CompiledServer) {
    this.#identity = identityOf(served)
    this.#seal = `"_meta":${JSON.stringify({ [META.serverInfo]: this.#identity })}}`
    this.#capabilities = capabilitiesOf(served)
  }

  /** @param instructions kept, so the same text should come as the same string */
  discovery(id: RequestId, instructions: string | undefined): string {
    return envelope(
      kept(this.#discoveries, instructions, () => {
        const discovered = {
          supportedVersions: [MODERN_VERSION],
          capabilities: this.#capabilities,
          ...(instructions === undefined ? {} : { instructions }),
          resultType: 'complete',
        }
        return `{"result":${JSON.stringify(discovered).slice(0, -1)},${CACHE},${this.#seal}`
      }),
      id,
    )
  }

  /** @param tools JSON of the array of tools; kept, so the same text should come as the same string */
  modernList(tools: string, id: RequestId): Segments {
    const make = (): string => `{"result":{"tools":${tools},"resultType":"complete",${CACHE},${this.#seal}`
    return sealed(
      kept(this.#modernLists, tools, () => Buffer.from(make(), 'utf8')),
      id,
    )
  }

  sessionList(tools: string, id: RequestId): Segments {
    return sealed(
      kept(this.#sessionLists, tools, () => Buffer.from(`{"result":{"tools":${tools}}`, 'utf8')),
      id,
    )
  }

  /** UTF-8 of what a list says. @param tools as for `modernList` */
  bytesOf(tools: string): number {
    return kept(this.#sizes, tools, () => Buffer.byteLength(tools))
  }

  modernOutcome(outcome: Outcome, id: RequestId): string {
    return outcome.kind === 'reply' ? envelope(this.#modernResult(outcome.reply), id) : this.#noReply(outcome, id)
  }

  sessionOutcome(outcome: Outcome, id: RequestId): string {
    if (outcome.kind === 'reply') return envelope(`{"result":${JSON.stringify(outcome.reply)}`, id)
    return this.#noReply(outcome, id)
  }

  error(code: number, message: string, id: RequestId, data?: object): string {
    return `{"jsonrpc":"2.0","id":${idText(id)},"error":${JSON.stringify({ code, message, data })}}`
  }

  #modernResult(reply: Reply): string {
    if (reply._meta === undefined)
      return `{"result":${JSON.stringify(reply).slice(0, -1)},"resultType":"complete",${this.#seal}`
    const meta = { ...reply._meta, [META.serverInfo]: reply._meta[META.serverInfo] ?? this.#identity }
    return `{"result":${JSON.stringify({ ...reply, resultType: 'complete', _meta: meta })}`
  }

  /** A question cannot come here: tools that ask are the SDK's. If one did, the client must not take it for an answer. */
  #noReply(outcome: Exclude<Outcome, { kind: 'reply' }>, id: RequestId): string {
    if (outcome.kind === 'unknown-tool') return this.error(CODE.invalidParams, outcome.message, id)
    return this.error(CODE.internal, 'Internal error', id)
  }
}

const tail = (id: RequestId): string => `,"jsonrpc":"2.0","id":${idText(id)}}`

const envelope = (head: string, id: RequestId): string => head + tail(id)

// A list is long and seldom changes: its bytes are neither encoded nor copied for an answer.
const sealed = (head: Buffer, id: RequestId): Segments => [head, Buffer.from(tail(id), 'utf8')]

function kept<Key, Made>(texts: Recent<Key, Made>, key: Key, make: () => Made): Made {
  const known = texts.get(key)
  if (known !== undefined) return known
  const made = make()
  texts.set(key, made)
  return made
}
