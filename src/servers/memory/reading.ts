// Reading crow.md beside the tool: who may, and the document for whoever asks over plain HTTP. Whoever may read memories here
// may read the sections; other instances never do, whatever is exposed to them.
import { withBorrowedContext } from '../../runtime/borrowed.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { Caller, ToolContext } from '../../runtime/context.ts'
import { fault, type ToolFault } from '../../runtime/fault.ts'
import { accessOf } from '../../runtime/steps/permit.ts'
import { composeCrowMd } from './crow-md.ts'
import type { Scope } from './policy/sections.ts'
import type { Platform } from './render/crow-md.ts'

export const SECTIONS_SCOPE = 'memory:read'
/** Where the document is served, and what a token has to be for. */
export const CROW_MD = Object.freeze({ path: '/crow.md', server: 'memory' })

const memory = Object.freeze({ scope: 'memory', readScope: SECTIONS_SCOPE, peers: false })

export function mayReadSections(caller: Caller): boolean {
  return accessOf(memory, caller) !== 'none'
}

/** Whose sections apply: what is asked for, else where the client says that it works, else this installation. */
export function scopeHere(
  { caller: { place }, ports }: Pick<ToolContext, 'caller' | 'ports'>,
  asked: { readonly deviceId?: string | undefined; readonly projectId?: number | undefined } = {},
): Scope {
  return {
    deviceId: asked.deviceId ?? place?.deviceId ?? ports.deviceId ?? null,
    projectId: asked.projectId ?? place?.projectId ?? null,
  }
}

export interface CrowMdWish {
  readonly caller: Caller
  readonly platform: Platform
  /** Absent: the device of this installation. */
  readonly deviceId?: string
  readonly projectId?: number
  readonly dynamic: boolean
}

/** The document as `get_context` composes it; observers see it as a resource that is read. */
export async function readCrowMd(catalog: Catalog, wish: CrowMdWish): Promise<string | ToolFault> {
  const { caller, platform, deviceId, projectId, dynamic } = wish
  const server = catalog.server(CROW_MD.server)
  if (server === undefined) return fault('NOT_FOUND', 'There is no crow.md here.')
  if (!mayReadSections(caller))
    return fault('FORBIDDEN', `This access does not cover crow.md: it needs the scope "${SECTIONS_SCOPE}".`)
  return withBorrowedContext(catalog, {
    kind: 'resource',
    server,
    name: CROW_MD.path,
    call: { caller, server: server.id, tool: CROW_MD.path },
    work: ({ db, ports }) =>
      composeCrowMd(db, {
        scope: scopeHere({ caller, ports }, { deviceId, projectId }),
        platform,
        dynamic,
      }),
    note: (text) => ({ outcome: 'ok', bytes: Buffer.byteLength(text) }),
  })
}
