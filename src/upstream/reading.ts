// Reads what a source has: when a connection is up, when it says that a list changed, and when it is not known yet what a kind of
// caller is shown.
import type { JsonObject, Link } from '../lib/link.ts'
import type { Abilities } from './abilities.ts'
import type { Definitions } from './definitions.ts'
import type { Lane } from './lane.ts'
import type { HubLimits } from './limits.ts'
import { fetchList, KINDS, type Kind, type Note } from './lists.ts'
import type { Pool } from './pool.ts'
import { Throttle } from './throttle.ts'
import type { Timers } from './timers.ts'

export interface ReadingOptions {
  readonly definitions: Definitions
  readonly pool: Pool
  readonly limits: HubLimits
  readonly timers: Timers
  readonly note: Note
  /** Nobody else uses the connection that it was read over. */
  readonly restsAfterwards: boolean
  /** Lists are others than before. */
  readonly onNews: (kinds: readonly Kind[]) => void
}

interface Refetch {
  lane: Lane
  readonly throttle: Throttle
}

/** After which a list that could not be read is tried again while the connection is up. */
const AGAIN_MS = 5_000

export class Reading {
  readonly #options: ReadingOptions
  readonly #learning = new Map<Abilities, Promise<void>>()
  readonly #refetches = new Map<string, Refetch>()

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** Neither known nor being found out. */
  isMissing(set: Abilities): boolean {
    return !this.#options.definitions.has(set) && !this.#learning.has(set)
  }

  /** Starts a connection where there is none. Never rejects. */
  learn(set: Abilities): Promise<void> {
    const known = this.#learning.get(set)
    if (known !== undefined) return known
    const learning = this.#learn(set).finally(() => this.#learning.delete(set))
    this.#learning.set(set, learning)
    return learning
  }

  /** Lists are to be read again over a connection, soon. */
  again(lane: Lane, kinds: readonly Kind[]): void {
    this.#refetch(lane, kinds).ask()
  }

  stop(): void {
    for (const { throttle } of this.#refetches.values()) throttle.stop()
  }

  async #learn(abilities: Abilities): Promise<void> {
    const { pool, definitions, note, restsAfterwards } = this.#options
    const seat = { abilities, client: '', callerId: '' }
    try {
      const lane = await pool.claim(seat)
      try {
        await lane.supervisor.whenReady()
        if (!definitions.has(abilities)) await this.#refetch(lane, KINDS).ensure()
      } finally {
        pool.letGo(lane)
      }
      if (restsAfterwards && lane.supervisor.uses === 0) await lane.supervisor.rest()
    } catch (error) {
      note('debug', 'its lists are not known yet', { err: error })
    }
  }

  /** Asked by whatever connection of a kind was last up. */
  #refetch(lane: Lane, kinds: readonly Kind[]): Throttle {
    const key = `${lane.abilities} ${kinds.join(' ')}`
    const known = this.#refetches.get(key)
    if (known !== undefined) {
      known.lane = lane
      return known.throttle
    }
    const { timers, limits } = this.#options
    const refetch: Refetch = {
      lane,
      throttle: new Throttle(() => this.#fetch(refetch.lane, kinds), timers, limits.refetchMs),
    }
    this.#refetches.set(key, refetch)
    return refetch.throttle
  }

  /** Reads lists again and tells of those that changed, all at once. Never rejects. */
  async #fetch(lane: Lane, kinds: readonly Kind[]): Promise<void> {
    const { definitions, pool, timers, onNews } = this.#options
    const { link } = lane
    if (link === undefined) return
    const set = link.peer.era === '2026' ? '' : lane.abilities
    lane.supervisor.use()
    const lists = await Promise.all(kinds.map(async (kind) => [kind, await this.#read(link, kind)] as const))
    pool.letGo(lane)
    const news = lists.flatMap(([kind, list]) =>
      list !== undefined && definitions.replace(set, kind, list) ? [kind] : [],
    )
    if (news.length > 0) onNews(news)
    if (!definitions.has(set) && lane.link === link) timers.later(AGAIN_MS, () => this.#refetch(lane, kinds).ask())
  }

  async #read(link: Link, kind: Kind): Promise<readonly JsonObject[] | undefined> {
    const { limits, note } = this.#options
    try {
      return await fetchList(link, kind, { limits, note })
    } catch (error) {
      note('warn', `its ${kind} cannot be read`, { err: error })
      return undefined
    }
  }
}
