// Events as observers get them, with what a test says of them.
import type { Caller } from '../../../../src/runtime/context.ts'
import type { EndEvent, ListEvent } from '../../../../src/runtime/observe.ts'

export const callerOf = (id: string, client?: string): Caller => ({
  id,
  kind: 'local',
  scopes: 'all',
  ...(client === undefined ? {} : { client }),
})

export const listed = (event: Partial<ListEvent> = {}): ListEvent => ({
  at: 0,
  caller: callerOf('local:1', 'laptop'),
  mount: 'router',
  bytes: 100,
  directBytes: 700,
  ...event,
})

export const replied = (event: Partial<EndEvent> = {}): EndEvent => ({
  kind: 'tool',
  callId: 1,
  at: 0,
  caller: callerOf('local:1', 'laptop'),
  session: undefined,
  server: 'memory',
  via: undefined,
  tool: 'dream',
  effect: 'read',
  middlewares: 0,
  trace: undefined,
  outcome: 'ok',
  code: undefined,
  blame: undefined,
  isError: false,
  bytes: 10,
  durationMs: 1,
  incident: undefined,
  attributes: undefined,
  ...event,
})
