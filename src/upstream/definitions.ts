// What one source said it has, as it came, for each kind of caller: in memory, and in the database for the next start.
import { sha256Hex } from '../lib/hashing.ts'
import { isRecord, objectOf } from '../lib/json.ts'
import type { Era, JsonObject, PeerFacts } from '../lib/link.ts'
import type { Abilities } from './abilities.ts'
import { ENTRY_DEPTH_MAX, isShallow } from './depth.ts'
import { KINDS, type Kind } from './lists.ts'
import type { StoredList } from './queries.ts'
import type { SourceSpec } from './spec.ts'

export type Lists = Readonly<Record<Kind, readonly JsonObject[]>>

/** What is to be written down. */
export type Saved = Pick<StoredList, 'source' | 'abilities' | 'kind' | 'fingerprint' | 'body'>

interface Known {
  readonly entries: readonly JsonObject[]
  readonly digest: string
}

const PEER = 'peer'
const INSTRUCTIONS_CHARS_MAX = 65_536

export class Definitions {
  readonly #spec: SourceSpec
  readonly #save: (saved: Saved) => void
  readonly #sets = new Map<Abilities, Map<Kind, Known>>()
  #peer: PeerFacts | undefined

  /** @param save writes one thing down, some time soon */
  constructor(spec: SourceSpec, save: (saved: Saved) => void) {
    this.#spec = spec
    this.#save = save
  }

  /** As the last connection had it. */
  get peer(): PeerFacts | undefined {
    return this.#peer
  }

  /** Kinds of callers whose own lists are known. */
  get sets(): readonly Abilities[] {
    return [...this.#sets.keys()].filter((abilities) => this.has(abilities))
  }

  /** Whether all of its lists are known. */
  has(abilities: Abilities): boolean {
    const kinds = this.#sets.get(abilities)
    return kinds !== undefined && KINDS.every((kind) => kinds.has(kind))
  }

  /**
   * Takes over what was stored for these very settings.
   * @param isKept another process keeps it now, whose settings are what counts
   * @returns the kinds of lists that are others now
   */
  load(stored: readonly StoredList[], isKept = false): readonly Kind[] {
    const { id, fingerprint } = this.#spec
    const changed = new Set<Kind>()
    for (const { source, abilities, kind, body, fingerprint: readWith } of stored) {
      if (source !== id || !(isKept || readWith === fingerprint)) continue
      const written: unknown = JSON.parse(body)
      if (kind === PEER) this.#peer = peerOf(written)
      else {
        const before = this.#sets.get(abilities)?.get(kind)?.digest
        const now = this.#keep(abilities, kind, Array.isArray(written) ? written.filter(isRecord) : [], body)
        if (before !== now.digest) changed.add(kind)
      }
    }
    return [...changed]
  }

  /** Takes over what another has, where only settings changed that a server does not see. */
  adopt(other: Definitions): void {
    if (other.peer !== undefined) this.meet(other.peer)
    for (const [abilities, kinds] of other.#sets)
      for (const [kind, { entries }] of kinds) this.replace(abilities, kind, entries)
  }

  /** @returns whether it is another list than before */
  replace(abilities: Abilities, kind: Kind, entries: readonly JsonObject[]): boolean {
    const body = JSON.stringify(entries)
    const before = this.#sets.get(abilities)?.get(kind)
    const now = this.#keep(abilities, kind, entries, body)
    if (before?.digest === now.digest) return false
    this.#write(abilities, kind, body)
    return before !== undefined || entries.length > 0
  }

  /** What the other side says of itself. @returns whether that is news */
  meet(said: PeerFacts): boolean {
    const peer = bounded(said)
    const body = JSON.stringify(peer)
    if (JSON.stringify(this.#peer) === body) return false
    this.#peer = peer
    this.#write('', PEER, body)
    return true
  }

  /** Of this kind of caller; until they are known, of one that can be asked nothing. */
  listsFor(abilities: Abilities): Lists {
    const kinds = this.#sets.get(this.has(abilities) ? abilities : '')
    const entriesOf = (kind: Kind): readonly JsonObject[] => kinds?.get(kind)?.entries ?? []
    return {
      tools: entriesOf('tools'),
      prompts: entriesOf('prompts'),
      resources: entriesOf('resources'),
      templates: entriesOf('templates'),
    }
  }

  #keep(abilities: Abilities, kind: Kind, entries: readonly JsonObject[], body: string): Known {
    const known = { entries, digest: sha256Hex(body) }
    const kinds = this.#sets.get(abilities) ?? new Map<Kind, Known>()
    this.#sets.set(abilities, kinds.set(kind, known))
    return known
  }

  #write(abilities: Abilities, kind: Kind | typeof PEER, body: string): void {
    const { id: source, fingerprint } = this.#spec
    this.#save({ source, abilities, kind, fingerprint, body })
  }
}

/** What nobody needs of it, and could only be in the way, is left out. */
function bounded(peer: PeerFacts): PeerFacts {
  return {
    ...peer,
    capabilities: isShallow(peer.capabilities, ENTRY_DEPTH_MAX) ? peer.capabilities : {},
    instructions: peer.instructions?.slice(0, INSTRUCTIONS_CHARS_MAX).toWellFormed(),
  }
}

function peerOf(written: unknown): PeerFacts | undefined {
  const { era, protocolVersion, name, version, capabilities, instructions } = objectOf(written)
  if (!isEra(era) || typeof protocolVersion !== 'string') return undefined
  return {
    era,
    protocolVersion,
    name: typeof name === 'string' ? name : '',
    version: typeof version === 'string' ? version : '',
    capabilities: objectOf(capabilities),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

const isEra = (value: unknown): value is Era => value === '2025' || value === '2026'
