// A process that was asked to end is gone in time, whatever does not close.
import type { FastifyInstance } from 'fastify'
import { exitCodes } from './exit-codes.ts'

/** Everybody has an answer half a second after the drain; what is left of one second closes the database. */
const LEAVE_BY_MS = 900

/**
 * To be called when the process is asked to end. Past the time it leaves: what was answered is committed, and the database
 * takes its log up again at the next start. With an error only where somebody may not have been answered.
 */
export function leaveInTime({ config, log, shutdown }: FastifyInstance): void {
  setTimeout(() => {
    log.warn({ answered: shutdown.isOver }, 'the gateway leaves before everything is closed')
    process.exit(shutdown.isOver ? exitCodes.ok : exitCodes.failure)
  }, config.shutdownDrainMs + LEAVE_BY_MS).unref()
}
