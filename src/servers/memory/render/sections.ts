// Renders one line per crow.md section, and one for the changes that wait.
import { isProtected, scopeName } from '../policy/sections.ts'
import type { Proposal } from '../queries/proposals.ts'
import type { StoredSection } from '../queries/sections.ts'
import { fenceAttribute } from './fence.ts'
import { proposalName } from './section-diff.ts'
import { isoTime } from './time.ts'

/** `- identity [protected] global "Identity" order 0 enabled 2026-01-01T00:00Z` */
export function renderSectionLine(section: StoredSection): string {
  const mark = isProtected(section.key, section) ? ' [protected]' : ''
  return [
    `- ${fenceAttribute(section.key)}${mark}`,
    fenceAttribute(scopeName(section)),
    `"${fenceAttribute(section.title)}"`,
    `order ${section.sortOrder}`,
    section.enabled ? 'enabled' : 'disabled',
    isoTime(section.updatedAt),
  ].join(' ')
}

/** `Waiting for the owner: 3 change identity (global); 4 add travel (device phone)` */
export function renderWaiting(waiting: readonly Proposal[]): string {
  const names = waiting.map((proposal) => `${proposal.id} ${fenceAttribute(proposalName(proposal))}`)
  return `Waiting for the owner: ${names.join('; ')}`
}
