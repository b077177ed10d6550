// What did not fit into a reply, kept for a while so that the caller can ask for it. Bounded by age and by bytes.

/** Who may read on, and where. */
export interface RestOwner {
  readonly caller: string
  /** Tools of two servers may have one name. */
  readonly server: string
  readonly tool: string
}

export interface Rest extends RestOwner {
  /** Text, cut anywhere between code points; other blocks as their JSON. */
  readonly pieces: readonly string[]
  readonly isError: boolean
  readonly bytes: number
  readonly expiresAt: number
}

export interface RestLimits {
  readonly ttlMs: number
  readonly bytesMax: number
  readonly callerBytesMax: number
}

export const defaultRestLimits: RestLimits = Object.freeze({
  ttlMs: 10 * 60_000,
  bytesMax: 128 * 1024 * 1024,
  callerBytesMax: 64 * 1024 * 1024,
})

export class RestStore {
  readonly #limits: RestLimits
  readonly #rests = new Map<string, Rest>()
  #bytes = 0

  constructor(limits: RestLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#rests.size
  }
  get bytes(): number {
    return this.#bytes
  }

  /** @returns whether it was kept; the oldest of the same caller, then of all, make room */
  keep(id: string, rest: Omit<Rest, 'expiresAt'>, now: number): boolean {
    this.#dropExpired(now)
    if (rest.bytes > this.#limits.callerBytesMax || rest.bytes > this.#limits.bytesMax) return false
    const ownMax = this.#limits.callerBytesMax - rest.bytes
    this.#makeRoom((kept) => kept.caller === rest.caller, ownMax)
    this.#makeRoom(() => true, this.#limits.bytesMax - rest.bytes)
    this.#rests.set(id, { ...rest, expiresAt: now + this.#limits.ttlMs })
    this.#bytes += rest.bytes
    return true
  }

  /** Undefined when unknown, expired, or kept for another caller, server or tool. */
  find(id: string, owner: RestOwner, now: number): Rest | undefined {
    this.#dropExpired(now)
    const rest = this.#rests.get(id)
    if (rest === undefined || rest.caller !== owner.caller) return undefined
    return rest.server === owner.server && rest.tool === owner.tool ? rest : undefined
  }

  #makeRoom(concerns: (rest: Rest) => boolean, bytesLeft: number): void {
    let sum = 0
    for (const rest of this.#rests.values()) if (concerns(rest)) sum += rest.bytes
    for (const [id, rest] of this.#rests) {
      if (sum <= bytesLeft) return
      if (!concerns(rest)) continue
      sum -= rest.bytes
      this.#drop(id, rest)
    }
  }

  /** Insertion order is order of expiry, because all live equally long. */
  #dropExpired(now: number): void {
    for (const [id, rest] of this.#rests) {
      if (rest.expiresAt > now) return
      this.#drop(id, rest)
    }
  }

  #drop(id: string, rest: Rest): void {
    this.#rests.delete(id)
    this.#bytes -= rest.bytes
  }
}
