// The events of one session, kept so that a client that lost its stream can pick it up again. One store per session:
// the SDK names every session's own stream alike, so a shared store would replay one client's events to another.
import { randomBytes } from 'node:crypto'
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'

interface EventBounds {
  readonly eventsMax: number
  readonly bytesMax: number
  /** How long an event is worth replaying, in milliseconds. */
  readonly ageMs: number
}

const EVENT_BOUNDS: EventBounds = Object.freeze({ eventsMax: 256, bytesMax: 256 * 1024, ageMs: 300_000 })

interface StoredEvent {
  readonly stream: number
  readonly sequence: number
  readonly at: number
  readonly json: string
}

const isMessage = (value: unknown): value is JSONRPCMessage => isRecord(value) && value['jsonrpc'] === '2.0'

/** A bounded replay buffer: the oldest events go first, by count, by bytes, by age. Event ids of another store are unknown here. */
export class SessionEvents implements EventStore {
  readonly #bounds: EventBounds
  readonly #now: () => number
  readonly #mark = randomBytes(6).toString('base64url')
  readonly #streams = new Map<string, number>()
  readonly #events: StoredEvent[] = []
  #sequence = 0
  #bytes = 0

  constructor(now: () => number, bounds: EventBounds = EVENT_BOUNDS) {
    this.#now = now
    this.#bounds = bounds
  }

  get size(): number {
    return this.#events.length
  }

  get bytes(): number {
    return this.#bytes
  }

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const sequence = ++this.#sequence
    const stream = this.#streamOf(streamId)
    const json = JSON.stringify(message)
    if (json.length <= this.#bounds.bytesMax) {
      this.#events.push({ stream, sequence, at: this.#now(), json })
      this.#bytes += json.length
    }
    this.prune()
    return Promise.resolve(`${this.#mark}.${stream}.${sequence}`)
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.#parse(eventId)?.streamId)
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const place = this.#parse(lastEventId)
    if (place === undefined) throw new Error('unknown event id')
    const later = this.#events.filter(({ stream, sequence }) => stream === place.stream && sequence > place.sequence)
    for (const { stream, sequence, json } of later) {
      const message: unknown = JSON.parse(json)
      // An empty message marks the start of a stream: it gives a place to resume from, and says nothing.
      if (isMessage(message)) await send(`${this.#mark}.${stream}.${sequence}`, message)
    }
    return place.streamId
  }

  /** Drops what is over a bound. Called on each event, and by the sweep for age. */
  prune(): void {
    const oldest = this.#now() - this.#bounds.ageMs
    while (this.#events.length > 0) {
      const first = this.#events[0]
      const over = this.#events.length > this.#bounds.eventsMax || this.#bytes > this.#bounds.bytesMax
      if (first === undefined || (!over && first.at >= oldest)) break
      this.#events.shift()
      this.#bytes -= first.json.length
    }
    this.#forgetStreams()
  }

  #streamOf(streamId: string): number {
    const stream = this.#streams.get(streamId) ?? ++this.#sequence
    this.#streams.delete(streamId)
    this.#streams.set(streamId, stream)
    return stream
  }

  /** Names of streams long silent are dropped, so that they are bounded like the events. */
  #forgetStreams(): void {
    for (const streamId of this.#streams.keys()) {
      if (this.#streams.size <= this.#bounds.eventsMax) return
      this.#streams.delete(streamId)
    }
  }

  #parse(eventId: string): { streamId: string; stream: number; sequence: number } | undefined {
    const [mark, streamText, sequenceText] = eventId.split('.')
    if (mark !== this.#mark) return undefined
    const stream = Number(streamText)
    for (const [streamId, known] of this.#streams)
      if (known === stream) return { streamId, stream, sequence: Number(sequenceText) }
    return undefined
  }
}
