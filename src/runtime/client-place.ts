// Where a client works, as it says itself: it chooses the sections of crow.md that it is told, and never what it may do.
import type { Caller } from './context.ts'

export interface ClientPlace {
  readonly deviceId?: string
  readonly projectId?: number
}

/** The caller at this place, and at no other. */
export function withPlace(caller: Caller, place: ClientPlace | undefined): Caller {
  return caller.place === place ? caller : Object.freeze({ ...caller, place })
}
