// What clients are told when they connect, kept ready: made once for each kind of caller, and anew when a section has changed.
import type { Database } from '../../db/client.ts'
import type { ChangeBus } from '../../runtime/bus.ts'
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer } from '../../runtime/compiled.ts'
import type { Caller, Log } from '../../runtime/context.ts'
import type { InstructionsOf } from '../../runtime/instructions.ts'
import { mergeSections, type Scope } from './policy/sections.ts'
import { sectionsFor } from './queries/sections.ts'
import { mayReadSections } from './reading.ts'
import { renderInstructions, STATIC_SECTIONS } from './render/instructions.ts'
import { onSectionsChanged } from './section-signal.ts'
import { spokenNames } from './spoken-names.ts'

/** Texts of one server: kinds of callers, times the places that clients name. */
const KEPT_MAX = 64

export interface InstructionsOptions {
  readonly db: Database
  readonly deviceId: string | null
  readonly bus: ChangeBus
  readonly log: Log
  /** Asked when a text is made: the catalog is made after this. */
  readonly catalog: () => Catalog
}

/** Runs no query but for a text that is not kept. */
export function createInstructions({ db, deviceId, bus, log, catalog }: InstructionsOptions): InstructionsOf {
  let texts = new WeakMap<object, Map<string, string>>()
  const forget = (): void => void (texts = new WeakMap())
  onSectionsChanged(db, forget)
  bus.on((change) => {
    if (change.kind === 'tools') forget()
  })
  const sectionsOf = (scope: Scope) => {
    try {
      return mergeSections(sectionsFor(db, scope))
    } catch (error) {
      log.warn({ err: error }, 'the sections of crow.md could not be read; clients are told the static text')
      return undefined
    }
  }
  return (served, caller, client) => {
    const { servers, revision } = catalog()
    const mayRead = mayReadSections(caller)
    const scope = { deviceId: client?.deviceId ?? deviceId, projectId: client?.projectId ?? null }
    const key = `${revision} ${accessKey(servers, caller)} ${mayRead ? JSON.stringify(scope) : ''}`
    const holder = served.profiled?.profileOf(caller) ?? served
    const known = texts.get(holder)?.get(key)
    if (known !== undefined) return known
    const sections = mayRead ? sectionsOf(scope) : STATIC_SECTIONS
    const spoken = spokenNames(catalog(), served, caller)
    const text = renderInstructions(sections ?? STATIC_SECTIONS, spoken, served.instructions)
    // What could not be read is tried again by the next client.
    if (sections !== undefined) keep(holder, key, text)
    return text
  }

  /** @param holder the server, or the profile by which a client is shown it */
  function keep(holder: object, key: string, text: string): void {
    const kept = texts.get(holder) ?? new Map<string, string>()
    if (kept.size >= KEPT_MAX) kept.clear()
    texts.set(holder, kept.set(key, text))
  }
}

/** Callers that may do the same everywhere are told the same. */
function accessKey(servers: readonly CompiledServer[], caller: Caller): string {
  return servers.map((server) => server.access(caller)).join()
}
