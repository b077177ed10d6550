// What a client is told when it connects, before any call: the text that most of them put into the system prompt.
import type { ClientPlace } from './client-place.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'

/** @returns undefined where there is nothing to say */
export type InstructionsOf = (served: CompiledServer, caller: Caller, client?: ClientPlace) => string | undefined

/** What the server's declaration says, for everybody alike. */
export const ownInstructions: InstructionsOf = (served) => served.instructions
