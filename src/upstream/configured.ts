// Everything that is configured, from the integrations and `servers.json`: what can be served, and a sentence for what cannot.
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { absolutePath } from '../config/places.ts'
import type { RawEnvironment } from '../config/read.ts'
import { canonicalJson, isRecord } from '../lib/json.ts'
import { readEntry, type Entry, type Surroundings } from './entry.ts'
import { EntryError, firstOf, type Raw } from './entry-fields.ts'
import { integrationEntry } from './integration-entry.ts'
import { integrationOf, integrations } from './integrations.ts'
import type { Reach } from './reach.ts'
import { saidId, whyNoId } from './source-id.ts'
import type { Note } from './servers-file.ts'
import type { SourceSpec, SpecList } from './spec.ts'

export interface Configured extends SpecList {
  /** What is odd and does not matter. */
  readonly notes: readonly Note[]
  /** Of those with a URL, by id. */
  readonly reach: ReadonlyMap<string, Reach>
}

export interface Owner extends Surroundings {
  /** Names that the gateway's servers have. */
  readonly ownIds: readonly string[]
  /** Of this gateway: a fingerprint tells nothing of a secret to whoever has not got it. */
  readonly key: Uint8Array
}

/** The home folder, or that of `servers.json` where there is none. */
export function startFolder(environment: RawEnvironment, file: string): string {
  const home = absolutePath('~', environment)
  return existsSync(home) ? home : dirname(file)
}

/** @param entries of `servers.json`, by id */
export function configuredOf(entries: ReadonlyMap<string, unknown>, owner: Owner): Configured {
  const specs: SourceSpec[] = []
  const problems: Note[] = []
  const notes: Note[] = []
  const reach = new Map<string, Reach>()
  const take = (id: string, read: () => Entry | undefined): void => {
    const said = saidId(id)
    try {
      const entry = read()
      if (entry === undefined) return
      specs.push({ ...entry.spec, fingerprint: fingerprintOf(entry.spec, owner.key) })
      if (entry.reach !== undefined) reach.set(id, entry.reach)
      notes.push(...entry.notes.map((note) => ({ id, message: `${said}: ${note}` })))
    } catch (error) {
      if (!(error instanceof EntryError)) throw error
      problems.push({ id: said, message: `${said} ${error.message}` })
    }
  }
  for (const [id, raw] of entries) take(id, () => entryOf(id, raw, owner, notes))
  for (const integration of integrations) {
    if (!entries.has(integration.id)) take(integration.id, () => integrationEntry(integration, undefined, owner))
  }
  specs.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { specs: Object.freeze(specs), problems: Object.freeze(problems), notes, reach }
}

function entryOf(id: string, raw: unknown, owner: Owner, notes: Note[]): Entry | undefined {
  const why = whyNoId(id, owner.ownIds)
  if (why !== undefined) throw new EntryError(why)
  if (!isRecord(raw)) throw new EntryError('must be an object')
  const integration = integrationOf(id)
  if (integration === undefined) return readEntry(id, raw, 'file', owner)
  if (!namesTarget(raw)) return integrationEntry(integration, raw, owner)
  notes.push({ id, message: `${id}: the entry in servers.json stands in place of the integration of that name` })
  return readEntry(id, raw, 'file', owner)
}

/** Whether an entry says itself how its server is reached. */
export function namesTarget(raw: Raw): boolean {
  return firstOf(raw, ['command', 'url', 'serverUrl', 'httpUrl']) !== undefined
}

function fingerprintOf(spec: Omit<SourceSpec, 'fingerprint'>, key: Uint8Array): string {
  return createHmac('sha256', key).update(canonicalJson(spec)).digest('base64url')
}
