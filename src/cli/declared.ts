// The catalog of everything that is declared, whatever this machine has configured: for lists, docs and the lock. Needs no database.
import { type Catalog, compileCatalog } from '../runtime/catalog.ts'
import { servers } from '../servers/index.ts'

/** Every declared server compiled as if all it needs were there. Nothing can be called on it. */
export function declaredCatalog(): Catalog {
  return compileCatalog(servers, { availableNeeds: servers.flatMap(({ needs }) => needs ?? []) })
}
