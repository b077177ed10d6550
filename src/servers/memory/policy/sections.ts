// Decides which crow.md sections apply: device+project beats project, project beats device, device beats global.
import { DEFAULT_SECTIONS } from '../default-sections.ts'

/** Keys that every installation has: editable, can be switched off, but neither deleted nor added without a scope. */
export const PROTECTED_KEYS: ReadonlySet<string> = new Set(DEFAULT_SECTIONS.map(({ key }) => key))

/** Where a section applies; both null means everywhere. */
export interface Scope {
  readonly deviceId: string | null
  readonly projectId: number | null
}

export interface Section extends Scope {
  readonly id: number
  readonly key: string
  readonly title: string
  readonly content: string
  readonly sortOrder: number
  readonly enabled: boolean
}

/** The scope that a tool's parameters name; absent ones mean everywhere. */
export function scopeOf(input: { readonly device_id?: string; readonly project_id?: number }): Scope {
  return { deviceId: input.device_id ?? null, projectId: input.project_id ?? null }
}

/** In words, for messages and lists. */
export function scopeName({ deviceId, projectId }: Scope): string {
  if (deviceId === null) return projectId === null ? 'global' : `project ${projectId}`
  return projectId === null ? `device ${deviceId}` : `device ${deviceId}, project ${projectId}`
}

/** True for a section that must stay: one of the seeded keys, without a scope. */
export function isProtected(key: string, { deviceId, projectId }: Scope): boolean {
  return PROTECTED_KEYS.has(key) && deviceId === null && projectId === null
}

/**
 * One section per key, the most specific of those given, in the order of `sortOrder` and then id.
 * A disabled override hides its key; a key that exists only in a scope is added.
 */
export function mergeSections(sections: readonly Section[]): Section[] {
  const best = new Map<string, Section>()
  for (const section of sections) {
    const known = best.get(section.key)
    if (known === undefined || weight(section) > weight(known)) best.set(section.key, section)
  }
  return [...best.values()]
    .filter((section) => section.enabled)
    .toSorted((left, right) => left.sortOrder - right.sortOrder || left.id - right.id)
}

function weight({ deviceId, projectId }: Scope): number {
  return (projectId === null ? 0 : 2) + (deviceId === null ? 0 : 1)
}
