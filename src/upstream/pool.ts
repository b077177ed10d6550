// The connections of one source. Callers of whom nothing can be asked share one; a caller that can be asked has a connection to
// itself while its calls run, so that no question reaches another. At a 2026 server nothing is asked on a connection, so one serves all.
import type { Caller } from '../runtime/context.ts'
import { abilitiesOf, type Abilities } from './abilities.ts'
import { goneFault } from './faults.ts'
import { Lane, type LaneOptions } from './lane.ts'
import type { HubLimits } from './limits.ts'
import type { Era } from '../lib/link.ts'
import type { SourceSpec } from './spec.ts'
import type { Timers } from './timers.ts'
import { WaitingRoom } from './waiting-room.ts'

export interface PoolOptions {
  readonly spec: SourceSpec
  readonly limits: Pick<HubLimits, 'connectionsMax' | 'waitersMax' | 'waitMs'>
  readonly timers: Timers
  /** As the last connection found it; undefined before there was one. */
  era(): Era | undefined
  readonly lane: Omit<LaneOptions, 'spec' | 'abilities' | 'client'>
}

/** Who a connection is for. */
export interface Seat {
  readonly abilities: Abilities
  /** '' where all share. */
  readonly client: string
  readonly callerId: string
}

export class Pool {
  readonly #options: PoolOptions
  readonly #lanes = new Map<string, Lane[]>()
  readonly #queue: WaitingRoom<Seat, Lane>
  readonly #leaving = new Set<Promise<void>>()
  #count = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { spec, limits, timers } = options
    this.#queue = new WaitingRoom({ title: spec.title, limits, timers })
  }

  get lanes(): Lane[] {
    return [...this.#lanes.values()].flat()
  }

  /** The connection that tells what the source has, and carries the calls of those who cannot be asked. */
  get base(): Lane {
    const [known] = this.#lanes.get('') ?? []
    return known ?? this.#open('', { abilities: '', client: '', callerId: '' })
  }

  /**
   * Undefined while it is not known whether the source is told by connection or by request what a caller can be asked.
   * @param follows whether it has to be where the calls of this caller are
   */
  seatOf(caller: Caller, follows: boolean): Seat | undefined {
    const abilities = follows ? abilitiesOf(caller) : ''
    const era = this.#options.era()
    if (era === undefined && abilities !== '') return undefined
    const client = this.#options.spec.isolation === 'client' ? caller.id : ''
    return { abilities: era === '2026' ? '' : abilities, client, callerId: caller.id }
  }

  /**
   * A connection for one call, there at once where it can be. It need not be up; it has to be let go.
   * @throws ToolFault, or the reason of `signal`
   */
  claim(seat: Seat, signal?: () => AbortSignal): Lane | Promise<Lane> {
    const lane = this.#find(seat)
    if (lane !== undefined) return claimed(lane, seat)
    return this.#isClosed ? Promise.reject(goneFault(this.#options.spec.title)) : this.#queue.enter(seat, signal?.())
  }

  letGo(lane: Lane): void {
    lane.supervisor.letGo()
    if (lane.supervisor.uses > 0) return
    lane.owner = undefined
    for (const waiting of this.#queue) {
      const found = this.#find(waiting.wish)
      if (found !== undefined) waiting.give(claimed(found, waiting.wish))
    }
  }

  /** Ends all of them. Resolves when nothing of them runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.refuseAll(goneFault(this.#options.spec.title))
    await Promise.all([...this.#leaving, ...this.lanes.map((lane) => lane.supervisor.stop())])
  }

  /** One that this caller may use now: its own, one that is free, or a new one. */
  #find(seat: Seat): Lane | undefined {
    const key = seat.client === '' ? seat.abilities : `${seat.client}\n${seat.abilities}`
    const known = this.#lanes.get(key)
    if (seat.abilities === '') return known?.[0] ?? this.#openWithin(key, seat)
    return (
      known?.find(({ owner }) => owner === seat.callerId) ??
      best(known?.filter(({ owner }) => owner === undefined) ?? [], seat) ??
      this.#openWithin(key, seat)
    )
  }

  #openWithin(key: string, seat: Seat): Lane | undefined {
    if (this.#count >= this.#options.limits.connectionsMax && key !== '' && !this.#evict()) return undefined
    return this.#open(key, seat)
  }

  #open(key: string, { abilities, client }: Seat): Lane {
    const lane = new Lane({ ...this.#options.lane, spec: this.#options.spec, abilities, client })
    const known = this.#lanes.get(key)
    if (known === undefined) this.#lanes.set(key, [lane])
    else known.push(lane)
    this.#count++
    if (this.#isClosed) void lane.supervisor.stop()
    return lane
  }

  /** Makes room: the one that nobody has used for longest. @returns whether there was one */
  #evict(): boolean {
    const free = this.lanes.filter(
      ({ supervisor, abilities, client }) => supervisor.uses === 0 && abilities + client !== '',
    )
    const [oldest] = free.toSorted((left, right) => left.supervisor.lastUse - right.supervisor.lastUse)
    if (oldest === undefined) return false
    for (const [key, lanes] of this.#lanes) {
      const rest = lanes.filter((lane) => lane !== oldest)
      if (rest.length === 0) this.#lanes.delete(key)
      else this.#lanes.set(key, rest)
    }
    this.#count--
    const leaving = oldest.supervisor.stop().finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
    return true
  }
}

function claimed(lane: Lane, { callerId }: Seat): Lane {
  lane.supervisor.use()
  if (lane.asks) {
    lane.owner = callerId
    lane.lastOwner = callerId
  }
  return lane
}

/** The one it had before, else one that is up, else any. */
function best(free: readonly Lane[], { callerId }: Seat): Lane | undefined {
  return free.find(({ lastOwner }) => lastOwner === callerId) ?? free.find(({ link }) => link !== undefined) ?? free[0]
}
