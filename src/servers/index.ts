// The list of servers. A server that is not in it does not exist.
import type { ServerDefinition } from '../runtime/server.ts'
import { memoryServer } from './memory/index.ts'

export const servers: readonly ServerDefinition[] = [
  // One on each line.
  memoryServer,
]
