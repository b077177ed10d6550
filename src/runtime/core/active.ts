// Which servers one process shows: the default one always, others as they are asked for, in that order, so that what a client
// has read of the list stays its beginning.
import { nearest } from '../../lib/nearest.ts'
import type { CompiledServer } from '../compiled.ts'

export class ActiveServers {
  /** Everything that can be active, in the order of the catalog. */
  readonly all: readonly CompiledServer[]
  readonly home: CompiledServer
  #list: readonly CompiledServer[]

  constructor(all: readonly CompiledServer[], home: CompiledServer) {
    this.all = all
    this.home = home
    this.#list = Object.freeze([home])
  }

  get list(): readonly CompiledServer[] {
    return this.#list
  }

  has(server: CompiledServer): boolean {
    return this.#list.includes(server)
  }

  activate(server: CompiledServer): void {
    if (!this.has(server)) this.#list = Object.freeze([...this.#list, server])
  }

  deactivate(server: CompiledServer): void {
    this.#list = Object.freeze(this.#list.filter((each) => each === this.home || each !== server))
  }
}

/** Servers that can be shown beside each other: those that show others are none of them. */
export const activatable = (servers: readonly CompiledServer[]): readonly CompiledServer[] =>
  servers.filter(({ derived }) => !derived)

const folded = (name: string): string =>
  name
    .replace(/^\//, '')
    .trim()
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^crow_/, '')

/** By id or alias, in any spelling. */
export function serverNamed(servers: readonly CompiledServer[], name: string): CompiledServer | undefined {
  const wanted = folded(name)
  return servers.find(({ id, aliases }) => [id, ...aliases].some((known) => known !== '/' && folded(known) === wanted))
}

const NAME_SHOWN_MAX = 64

/** The sentence for a name that no server has. */
export function noServer(servers: readonly CompiledServer[], name: string): string {
  const shown = name.slice(0, NAME_SHOWN_MAX).toWellFormed()
  const near = nearest(
    shown,
    servers.map(({ id }) => id),
  )
  return `There is no server "${shown}".${near === undefined ? '' : ` Did you mean ${near}?`}`
}
