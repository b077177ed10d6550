// How one external server is configured, in words that give no secret away: of variables and headers, only where they come from.
import { isRecord } from '../../lib/json.ts'
import { integrationOf } from '../../upstream/integrations.ts'
import { secretsIn } from '../../upstream/variables.ts'
import { commandLineOf } from './consent.ts'
import type { Place } from './place.ts'

type Sources = Readonly<Record<string, string>>

export interface Description {
  /** With references where secrets are. */
  readonly command: string | null
  readonly variables: Sources
  readonly headers: Sources
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
  readonly reads: readonly string[]
  readonly isolation: string | null
  readonly timeoutMs: number | null
  readonly idleMs: number | null
  readonly keyUrl: string | null
  readonly docsUrl: string | null
}

export function describe({ entries, list }: Place, id: string): Description {
  const entry = entries.get(id)
  const raw = isRecord(entry) ? entry : {}
  const integration = integrationOf(id)
  const spec = list.specs.find((one) => one.id === id)
  const unset = Object.fromEntries((integration?.variables ?? []).map((name) => [name, 'environment'] as const))
  return {
    command: commandLineOf(id, raw) ?? null,
    variables: { ...unset, ...sourcesOf(raw['env']) },
    headers: sourcesOf(raw['headers']),
    allow: spec?.allow ?? null,
    deny: spec?.deny ?? [],
    reads: spec?.reads ?? [],
    isolation: spec?.isolation ?? null,
    timeoutMs: spec?.timeoutMs ?? null,
    idleMs: spec?.idleMs ?? null,
    keyUrl: integration?.keyUrl ?? null,
    docsUrl: integration?.docsUrl ?? null,
  }
}

function sourcesOf(map: unknown): Sources {
  if (!isRecord(map)) return {}
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, sourceOf(value)]))
}

function sourceOf(value: unknown): string {
  if (typeof value !== 'string') return 'in the file'
  if (secretsIn(value).length > 0) return 'sealed'
  return value.includes('${') ? 'environment' : 'in the file'
}
