// Who may read the sections of crow.md: whoever may read memories here. Other instances never do, whatever is exposed to them.
import type { Caller } from '../../runtime/context.ts'
import { accessOf } from '../../runtime/steps/permit.ts'

export const SECTIONS_SCOPE = 'memory:read'

const memory = Object.freeze({ scope: 'memory', readScope: SECTIONS_SCOPE, peers: false })

export function mayReadSections(caller: Caller): boolean {
  return accessOf(memory, caller) !== 'none'
}
