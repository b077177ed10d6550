// Whether changes of crow.md wait for the owner: nothing is broken, but nobody else can decide.
import type { Gateway } from '../../gateway.ts'
import { listProposals } from '../../servers/memory/queries/proposals.ts'
import { proposalName } from '../../servers/memory/render/section-diff.ts'
import { visible } from '../visible.ts'
import { type CommandOf, type Finding, ok, warn } from './finding.ts'

const NAMED_MAX = 3

export function checkContext({ database }: Gateway, commandOf: CommandOf): Finding {
  const waiting = listProposals(database)
  if (waiting.length === 0) return ok('crow.md', 'no change waits for you')
  const names = waiting.slice(0, NAMED_MAX).map((proposal) => visible(proposalName(proposal)))
  const more = waiting.length > NAMED_MAX ? [`and ${waiting.length - NAMED_MAX} more`] : []
  const count = waiting.length === 1 ? '1 change waits' : `${waiting.length} changes wait`
  return warn(
    'crow.md',
    `${count} for you: ${[...names, ...more].join(', ')}`,
    `Look and decide: ${commandOf('context', 'pending')}`,
  )
}
