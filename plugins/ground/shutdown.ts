// How the gateway leaves: no new connections, time for what is under way, an answer for whoever is still waiting then, an
// end for every stream. Happens inside `app.close()`, before anything that answers stand on is closed.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { Server } from 'node:net'
import { patiently } from '../../src/lib/patience.ts'
import { Connections } from './connections.ts'
import { writeEnding } from './ending.ts'

/** A room with work of its own beyond the answers that the server knows of. */
export interface Guest {
  /** Whether somebody waits for a result. */
  isBusy(): boolean
  /** Answers everybody who waits, with an error. */
  cut(): void
  /** Ends streams and whatever else is open. */
  end(): Promise<void>
}

export interface Shutdown {
  readonly isDraining: boolean
  /** Whether everybody has been answered or told: what is left is to close what answers stand on. */
  readonly isOver: boolean
  join(guest: Guest): void
  /** Marks an answer that lasts as long as its client listens: nothing to wait for. */
  spare(answer: ServerResponse): void
}

declare module 'fastify' {
  interface FastifyInstance {
    shutdown: Shutdown
  }
}

/** A connection that rests may have a request on its way. It is left open this long to be told that it was the last. */
const LINGER_MS = 150
/** How long after the drain errors may be written, and how long streams and guests may take to end; then they are cut. */
const CUT_MS = 250
const END_MS = 500

function shutdown(app: FastifyInstance, _options: object, done: () => void): void {
  const connections = new Connections(app.server)
  const guests: Guest[] = []
  let isDraining = false
  let isOver = false
  app.decorate('shutdown', {
    get isDraining() {
      return isDraining
    },
    get isOver() {
      return isOver
    },
    join: (guest) => void guests.push(guest),
    spare: (answer) => connections.spare(answer),
  } satisfies Shutdown)
  app.addHook('preClose', async () => {
    isDraining = true
    const drainsUntil = performance.now() + app.config.shutdownDrainMs
    app.streams.close()
    refuseConnections(app)
    connections.beginLastCall()
    await drain(app.config.shutdownDrainMs, connections, guests)
    // From one point in time: what one stage takes too long, on a busy machine, the next ones have less.
    const drainedAt = Math.min(performance.now(), drainsUntil)
    const left = (ms: number): number => Math.max(drainedAt + ms - performance.now(), 0)
    for (const guest of guests) guest.cut()
    await patiently(() => connections.waiting === 0, left(CUT_MS))
    for (const answer of connections.unanswered()) writeEnding(app, answer)
    await endAll(app, guests, left(END_MS))
    await patiently(() => connections.open === 0, left(END_MS))
    isOver = true
  })
  done()
}

/** A guest that fails to end, or does not, holds up nobody. */
async function endAll({ log }: FastifyInstance, guests: readonly Guest[], ms: number): Promise<void> {
  let running = guests.length
  for (const guest of guests)
    void guest
      .end()
      .catch((error: unknown) => log.error({ err: error }, 'a room did not end well'))
      .finally(() => running--)
  if (!(await patiently(() => running === 0, ms))) log.warn({ rooms: running }, 'not every room ended in time')
}

/** Waits until nobody waits any more, and a moment longer for connections that have been told nothing yet. */
async function drain(drainMs: number, connections: Connections, guests: readonly Guest[]): Promise<void> {
  const lingersUntil = performance.now() + LINGER_MS
  await patiently(() => {
    if (connections.waiting > 0 || guests.some((guest) => guest.isBusy())) return false
    return connections.resting === 0 || performance.now() >= lingersUntil
  }, drainMs)
}

/**
 * Closes the listener and nothing else: the close of an HTTP server would cut connections that rest. Where the name of the
 * host has several addresses, the listeners can only be closed together with their connections, which is done at the end.
 */
function refuseConnections(app: FastifyInstance): void {
  if (app.addresses().length === 1) Server.prototype.close.call(app.server)
}

export default fp(shutdown, {
  name: 'ground/shutdown',
  dependencies: ['ground/gateway', 'ground/streams'],
  fastify: '5.x',
})
