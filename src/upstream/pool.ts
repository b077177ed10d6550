// The connections of one source. Callers of whom nothing can be asked share one; a caller that can be asked has a connection to
// itself while its calls run, so that no question reaches another. At a 2026 server nothing is asked on a connection, so one serves all.
import type { Caller } from '../runtime/context.ts'
import { abilitiesOf, type Abilities } from './abilities.ts'
import { crowdedFault, goneFault, waitedFault } from './faults.ts'
import { Lane, type LaneOptions } from './lane.ts'
import type { HubLimits } from './limits.ts'
import type { Era } from '../lib/link.ts'
import { toError } from '../lib/thrown.ts'
import type { SourceSpec } from './spec.ts'
import type { Timers } from './timers.ts'

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

interface Queued {
  readonly seat: Seat
  settle(lane: Lane | undefined, reason?: Error): void
}

export class Pool {
  readonly #options: PoolOptions
  readonly #lanes = new Map<string, Lane[]>()
  readonly #queue = new Set<Queued>()
  readonly #leaving = new Set<Promise<void>>()
  #count = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
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
    return lane === undefined ? this.#wait(seat, signal?.()) : claimed(lane, seat)
  }

  letGo(lane: Lane): void {
    lane.supervisor.letGo()
    if (lane.supervisor.uses > 0) return
    lane.owner = undefined
    for (const queued of this.#queue) {
      const found = this.#find(queued.seat)
      if (found !== undefined) queued.settle(claimed(found, queued.seat))
    }
  }

  /** Ends all of them. Resolves when nothing of them runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    const reason = goneFault(this.#options.spec.title)
    for (const queued of this.#queue) queued.settle(undefined, reason)
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

  #wait(seat: Seat, signal: AbortSignal | undefined): Promise<Lane> {
    const { spec, limits, timers } = this.#options
    if (this.#isClosed) return Promise.reject(goneFault(spec.title))
    if (this.#queue.size >= limits.waitersMax) return Promise.reject(crowdedFault(spec.title))
    return new Promise((resolve, reject) => {
      const queued: Queued = {
        seat,
        settle: (lane, reason) => {
          this.#queue.delete(queued)
          cancel()
          signal?.removeEventListener('abort', onAbort)
          if (lane === undefined) reject(reason ?? goneFault(spec.title))
          else resolve(lane)
        },
      }
      const cancel = timers.later(limits.waitMs, () => queued.settle(undefined, waitedFault(spec.title, limits.waitMs)))
      const onAbort = (): void => queued.settle(undefined, toError(signal?.reason))
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#queue.add(queued)
    })
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
