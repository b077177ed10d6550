// What a client is told when it connects, before any call: the text that most of them put into the system prompt.
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'

/** What is known about where a client works. */
export interface ClientPlace {
  readonly deviceId?: string
  readonly projectId?: number
}

/** @returns undefined where there is nothing to say */
export type InstructionsOf = (served: CompiledServer, caller: Caller, client?: ClientPlace) => string | undefined

/** What the server's declaration says, for everybody alike. */
export const ownInstructions: InstructionsOf = (served) => served.instructions
