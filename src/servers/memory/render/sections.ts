// Renders one line per crow.md section.
import { isProtected, scopeName } from '../policy/sections.ts'
import type { StoredSection } from '../queries/sections.ts'
import { fenceAttribute } from './fence.ts'
import { isoTime } from './time.ts'

/** `- identity [protected] · global · "Identity" · order 0 · enabled · 2026-01-01T00:00:00Z` */
export function renderSectionLine(section: StoredSection): string {
  const mark = isProtected(section.key, section) ? ' [protected]' : ''
  return [
    `- ${fenceAttribute(section.key)}${mark}`,
    fenceAttribute(scopeName(section)),
    `"${fenceAttribute(section.title)}"`,
    `order ${section.sortOrder}`,
    section.enabled ? 'enabled' : 'disabled',
    `updated ${isoTime(section.updatedAt)}`,
  ].join(' · ')
}
