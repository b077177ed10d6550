// What a tool writes into crow.md waits here until the owner has seen what it would change. A waiting change is no section:
// nothing that composes text for a model reads it. Whoever approves names a number, and a number never changes its meaning.
import type { Database } from '../../db/client.ts'
import { DomainError } from '../../errors.ts'
import type { Clock, ToolContext } from '../../runtime/context.ts'
import { fault, type ToolFault } from '../../runtime/fault.ts'
import {
  countProposals,
  findProposal,
  listProposals,
  PROPOSALS_MAX,
  proposalOf,
  putProposal,
  removeProposal,
  type NewProposal,
  type Proposal,
} from './queries/proposals.ts'
import {
  changeSection,
  countSections,
  findSection,
  insertSection,
  removeSection,
  SECTIONS_MAX,
  type StoredSection,
} from './queries/sections.ts'
import { sectionsChanged } from './section-signal.ts'
import { endNotice, noticeWaiting } from './waiting-notice.ts'

/** A change with the section it is about, as it serves now. */
export interface WaitingChange {
  readonly proposal: Proposal
  readonly section: StoredSection | undefined
  /** Whether the section has become another one since: then it cannot be approved any more. */
  readonly stale: boolean
}

/** Whether what a tool writes waits at all. */
export function waits({ ports }: Pick<ToolContext, 'ports'>): boolean {
  return ports.contextWrites !== 'free'
}

/**
 * Keeps a change for the owner; inside a write. The same wish again keeps its number.
 * @returns undefined when crow.md is like that already; nothing waits for that section then
 */
export function propose(
  { db, caller, clock }: Pick<ToolContext, 'db' | 'caller' | 'clock'>,
  wish: Omit<NewProposal, 'sectionId' | 'sectionVersion' | 'caller' | 'client'>,
): Proposal | ToolFault | undefined {
  const section = findSection(db, wish.key, wish)
  const waiting = proposalOf(db, wish.key, wish)
  if (wish.action === 'update' && section !== undefined && isLike(section, wish)) {
    if (waiting !== undefined) withdraw(db, waiting.id)
    return undefined
  }
  const proposal: NewProposal = {
    ...wish,
    sectionId: section?.id ?? null,
    sectionVersion: section?.version ?? null,
    caller: caller.id,
    client: caller.client ?? null,
  }
  if (waiting !== undefined && isLike(waiting, wish) && isBasedOn(waiting, section) && waiting.action === wish.action)
    return waiting
  if (waiting === undefined && countProposals(db) >= PROPOSALS_MAX)
    return fault('CONFLICT', `${PROPOSALS_MAX} changes of crow.md wait for the owner already; more are not kept.`, {
      recovery: 'Ask the person to look through them: `crow context pending`.',
    })
  const now = clock.now()
  const put = findProposal(db, putProposal(db, proposal, now))
  if (put !== undefined) noticeWaiting(db, put, waiting, now)
  return put
}

/** Nobody has to decide about a change any more; inside a write. */
export function withdraw(db: Database, id: number): void {
  removeProposal(db, id)
  endNotice(db, id)
}

/** @throws DomainError when there is no such change, or the section has changed since */
export async function approve(db: Database, id: number, clock: Clock): Promise<Proposal> {
  const proposal = await db.write(() => {
    const { proposal: wish, section, stale } = waitingChange(db, id)
    if (stale) throw staleChange(id)
    apply(db, wish, section, clock.now())
    withdraw(db, id)
    return wish
  })
  sectionsChanged(db)
  return proposal
}

/** @throws DomainError when there is no such change */
export async function reject(db: Database, id: number): Promise<Proposal> {
  return db.write(() => {
    const { proposal } = waitingChange(db, id)
    withdraw(db, id)
    return proposal
  })
}

/** Everything that waits, oldest first. */
export function waitingChanges(db: Database): WaitingChange[] {
  return listProposals(db).map((proposal) => withSection(db, proposal))
}

/** @throws DomainError when there is no such change */
export function waitingChange(db: Database, id: number): WaitingChange {
  const proposal = findProposal(db, id)
  if (proposal !== undefined) return withSection(db, proposal)
  throw new DomainError('missing', 'CHANGE_UNKNOWN', `No change ${id} waits.`, {
    hint: '`crow context pending` shows what does; a change that was altered has a new number.',
  })
}

function withSection(db: Database, proposal: Proposal): WaitingChange {
  const section = findSection(db, proposal.key, proposal)
  return { proposal, section, stale: !isBasedOn(proposal, section) }
}

function isBasedOn(proposal: NewProposal, section: StoredSection | undefined): boolean {
  return proposal.sectionId === (section?.id ?? null) && proposal.sectionVersion === (section?.version ?? null)
}

type Likeness = Pick<Proposal, 'title' | 'content' | 'sortOrder' | 'enabled'>

function isLike(one: Likeness, other: Likeness): boolean {
  return (
    one.title === other.title &&
    one.content === other.content &&
    one.sortOrder === other.sortOrder &&
    one.enabled === other.enabled
  )
}

function apply(db: Database, wish: Proposal, section: StoredSection | undefined, now: number): void {
  const { action, key, title, content, sortOrder, enabled } = wish
  if (action === 'delete') removeSection(db, key, wish)
  else if (section === undefined) {
    if (countSections(db) >= SECTIONS_MAX)
      throw new DomainError(
        'conflict',
        'SECTIONS_FULL',
        `There are ${SECTIONS_MAX} sections already; more are not kept.`,
      )
    const { deviceId, projectId } = wish
    insertSection(db, { key, title, content, sortOrder, enabled, deviceId, projectId }, now)
  } else changeSection(db, key, wish, { title, content, sortOrder, enabled }, now)
}

function staleChange(id: number): DomainError {
  return new DomainError('conflict', 'CHANGE_STALE', `The section has changed since change ${id} was made from it.`, {
    hint: `End it with \`crow context reject ${id}\` and have the change written again.`,
  })
}
