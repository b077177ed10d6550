// For every attack that is tested here, the switch that takes its defence away: one replacement in one file, and the test that has
// to fail with it. `npm run mutate` tries them all; a test sees to it that each replacement still fits its file.
import { authorization } from './defences/authorization.ts'
import { consent } from './defences/consent.ts'
import { context } from './defences/context.ts'
import type { Defence } from './defences/defence.ts'
import { doors } from './defences/doors.ts'
import { external } from './defences/external.ts'
import { memory, secrets, start } from './defences/inside.ts'
import { registration } from './defences/registration.ts'
import { attacks, transport } from './defences/wire.ts'

export const DEFENCES: readonly Defence[] = [
  ...transport,
  ...attacks,
  ...authorization,
  ...consent,
  ...registration,
  ...memory,
  ...secrets,
  ...start,
  ...doors,
  ...context,
  ...external,
]
