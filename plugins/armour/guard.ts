// Refuses to boot when a route stands behind no door, or answers JSON that no schema bounds. Collects the table of routes.
import fp from 'fastify-plugin'
import type { FastifyInstance, RouteOptions } from 'fastify'

export type DoorName = 'anyone' | 'applicant' | 'caller' | 'loopback-caller' | 'operator' | 'peer-gate'

/** What a route answers when it is not JSON bounded by a response schema. */
type Answers = 'json' | 'json-rpc' | 'html' | 'feed' | 'stream' | 'text' | 'oauth'

/** The doors in front of a scope, outermost first. */
export interface DoorChain {
  readonly names: readonly DoorName[]
  /** The budgets they charge, in words. */
  readonly limit: string
}

export interface RouteRow {
  readonly method: string
  readonly path: string
  readonly doors: readonly DoorName[]
  readonly limit: string
  readonly answers: Answers
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The doors of this scope; undefined outside of every door. */
    door?: DoorChain
    routeTable: readonly RouteRow[]
  }
  interface FastifyContextConfig {
    /** The first door in front of this route; written by the guard. */
    door?: DoorName
    answers?: Answers
    /** Id of the server that this route belongs to: what a token has to be for. */
    server?: string
  }
}

const EMPTY_TREE = '(empty tree)'

function guard(app: FastifyInstance, _options: object, done: (error?: Error) => void): void {
  if (app.printRoutes().trim() !== EMPTY_TREE) {
    done(new Error('A route was opened before the guard: it would stand behind no door. Open it inside behind(…).'))
    return
  }
  const table: RouteRow[] = []
  app.decorate('routeTable', table)
  app.addHook('onRoute', function onRoute(route) {
    table.push(...admit(this.door, route))
  })
  done()
}

/** @throws Error naming the route that may not be opened */
function admit(chain: DoorChain | undefined, route: RouteOptions): RouteRow[] {
  const methods = [route.method].flat()
  const name = `${methods.join(', ')} ${route.url}`
  const door = chain?.names[0]
  if (chain === undefined || door === undefined) {
    throw new Error(`Route ${name} stands behind no door. Open it inside behind(…) in src/app.ts.`)
  }
  const answers = route.config?.answers ?? 'json'
  if (answers === 'json' && !hasResponse(route.schema)) {
    throw new Error(
      `Route ${name} answers JSON without a response schema. Give it one, or say in config.answers what it answers.`,
    )
  }
  route.config = { ...route.config, door }
  return methods.map((method) => ({ method, path: route.url, doors: chain.names, limit: chain.limit, answers }))
}

function hasResponse(schema: RouteOptions['schema']): boolean {
  return typeof schema?.response === 'object' && schema.response !== null && Object.keys(schema.response).length > 0
}

export default fp(guard, {
  name: 'armour/guard',
  dependencies: ['armour/errors', 'armour/network', 'armour/limits'],
  fastify: '5.x',
})
