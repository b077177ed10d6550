// How a tool that writes into crow.md ends: the person is asked at once where the client can show them the whole difference;
// otherwise, and when they do not answer, the change waits, and the reply says how it is approved.
import { isRecord } from '../../lib/json.ts'
import type { ElicitChannel, ToolContext } from '../../runtime/context.ts'
import { fault } from '../../runtime/fault.ts'
import { needInput } from '../../runtime/reply.ts'
import type { HandlerResult } from '../../runtime/tool.ts'
import { DomainError } from '../../errors.ts'
import { waitingChange } from './approval.ts'
import { decideChange, type DecisionFacts } from './decision.ts'
import type { Proposal } from './queries/proposals.ts'
import { proposalName, revealed, sectionDiff } from './render/section-diff.ts'

/** Nobody reads more in a window of their client; a yes is only asked for what is shown whole. */
const DIFF_CHARS_MAX = 4000
const QUESTION = 'approve'

/** The end of a second round, in which the person has answered; undefined in the first one. */
export async function answeredWish(ctx: ToolContext): Promise<HandlerResult | undefined> {
  const { state } = ctx.elicit
  if (state === undefined) return undefined
  const id = Number(state)
  try {
    const { proposal } = waitingChange(ctx.db, id)
    const verdict = verdictOf(ctx.elicit)
    if (verdict === 'unanswered') return waitingReply(proposal)
    if (verdict === 'yes') {
      await decideChange(factsOf(ctx), id, 'approve')
      return `Approved: ${proposalName(proposal)}.`
    }
    await decideChange(factsOf(ctx), id, 'reject')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return fault('CONFLICT', error.message, { recovery: 'Write the change again, from the section as it is now.' })
  }
  return fault('CANCELLED', 'The person did not approve the change, so crow.md stays as it is.', {
    recovery: 'Do not try again unless the person asks for it.',
  })
}

/** The person decides, through the client that asked them. */
export const factsOf = ({ db, clock, ports: { audit }, caller: { id, kind, client } }: ToolContext): DecisionFacts => ({
  db,
  clock,
  audit,
  by: { caller: id, callerKind: kind, client },
})

/** Asks the person about a change that waits, or says that it waits. */
export function askOrTell({ db, elicit, caller }: ToolContext, proposal: Proposal): HandlerResult {
  const diff = sectionDiff(waitingChange(db, proposal.id).section, proposal)
  if (!elicit.supported || diff.length > DIFF_CHARS_MAX) return waitingReply(proposal)
  const who = caller.client === undefined ? 'An AI client' : `An AI client (${revealed(caller.client)})`
  const message = `${who} wants to change crow.md, which your AI clients read as instructions: ${proposalName(proposal)}.\n\n${diff}`
  const requestedSchema = {
    type: 'object',
    properties: {
      [QUESTION]: {
        type: 'boolean',
        title: 'Put it into crow.md',
        description: 'Without it crow.md stays as it is.',
        default: false,
      },
    },
    required: [QUESTION],
  }
  return needInput(
    { [QUESTION]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } },
    String(proposal.id),
  )
}

/** One sentence with the command: the model passes it on. */
export function waitingReply(proposal: Proposal): string {
  return `${proposalName(proposal)} waits for the owner; crow.md stays as it is until: crow context approve ${proposal.id}`
}

function verdictOf({ responses }: ElicitChannel): 'yes' | 'no' | 'unanswered' {
  const answer = responses?.[QUESTION]
  if (!isRecord(answer)) return 'unanswered'
  if (answer['action'] === 'decline') return 'no'
  if (answer['action'] !== 'accept') return 'unanswered'
  return isRecord(answer['content']) && answer['content'][QUESTION] === true ? 'yes' : 'no'
}
