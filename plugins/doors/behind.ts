// Opens one encapsulated scope: its doors in order, then the rooms behind them. The only way to open a route.
import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import type { DoorChain, DoorName } from '../armour/guard.ts'

export interface Door {
  readonly name: DoorName
  /** The budget it charges, in words; empty for a gate that charges none. */
  readonly limit: string
  /** Adds the hooks of the door to the scope it is registered in. */
  readonly plugin: FastifyPluginCallback | FastifyPluginAsync
}

/**
 * @param doors one, or several, outermost first
 * @param rooms plugins whose routes stand behind them
 */
export function behind(doors: Door | readonly Door[], ...rooms: readonly FastifyPluginAsync[]): FastifyPluginAsync {
  const list: readonly Door[] = 'plugin' in doors ? [doors] : doors
  const chain: DoorChain = {
    names: list.map(({ name }) => name),
    limit: list
      .map(({ limit }) => limit)
      .filter((limit) => limit !== '')
      .join('; '),
  }
  return async (scope) => {
    scope.decorate('door', chain)
    for (const { plugin } of list) await scope.register(plugin)
    for (const room of rooms) await scope.register(room)
  }
}
