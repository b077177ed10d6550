// `crow context`: what AI clients want to change in crow.md, for the owner to look at and to decide. Nothing of it serves before.
import type { Gateway } from '../../gateway.ts'
import type * as approval from '../../servers/memory/approval.ts'
import type { Verdict } from '../../servers/memory/decision.ts'
import type { Proposal } from '../../servers/memory/queries/proposals.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { UsageError } from '../options.ts'
import { configOf, type PlaceOptions, refuseMissing, withGateway } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'

const STALE = 'The section has changed since: this change cannot be approved any more, only rejected.'

export const contextPending = defineCommand({
  name: 'context pending',
  usage: '[--json]',
  summary: 'list the changes of crow.md that wait for you',
  options: sharedOptions,
  notes: ['CROW_CONTEXT_WRITES=free lets them count at once.'],
  async run(terminal, { options }) {
    const rows = await withChanges(terminal, options, async ({ database }, { waitingChanges }) =>
      waitingChanges(database).map(rowOf),
    )
    if (options.json === true) terminal.out(visibleJson(JSON.stringify(rows)))
    else if (rows.length === 0) terminal.out('Nothing waits.')
    else {
      const lines = tableOf(
        ['id', 'action', 'section', 'device', 'project', 'wished by', 'since', ''],
        rows.map((row) => [
          row.id,
          row.action,
          visible(row.section),
          row.device === null ? null : visible(row.device),
          row.project,
          visible(row.client ?? row.caller),
          row.since,
          row.stale ? 'stale' : '',
        ]),
      )
      for (const line of lines) terminal.out(line)
    }
    return exitCodes.ok
  },
})

export const contextDiff = defineCommand({
  name: 'context diff',
  usage: 'NUMBER [--json]',
  summary: 'show what one change would do to crow.md',
  positionals: [1, 1],
  options: sharedOptions,
  notes: ['Characters that show nothing are spelt out, because a model reads them: \\u{200b}.'],
  async run(terminal, { options, positionals: [typed = ''] }) {
    const id = numberOf(typed)
    const { sectionDiff } = await import('../../servers/memory/render/section-diff.ts')
    const change = await withChanges(terminal, options, async ({ database }, { waitingChange }) =>
      waitingChange(database, id),
    )
    const diff = sectionDiff(change.section, change.proposal)
    if (options.json === true) terminal.out(visibleJson(JSON.stringify({ ...rowOf(change), diff })))
    else {
      for (const line of diff.split('\n')) terminal.out(coloured(terminal, line))
      if (change.stale) terminal.err(STALE)
    }
    return exitCodes.ok
  },
})

export const contextApprove = defineCommand({
  name: 'context approve',
  usage: 'NUMBER [--json]',
  summary: 'put one change into crow.md',
  positionals: [1, 1],
  options: sharedOptions,
  notes: ['A change that was altered has another number, so this is for what `crow context diff NUMBER` shows.'],
  run: (terminal, { options, positionals: [typed = ''] }) => decide(terminal, options, numberOf(typed), 'approve'),
})

export const contextReject = defineCommand({
  name: 'context reject',
  usage: 'NUMBER [--json]',
  summary: 'drop one change of crow.md',
  positionals: [1, 1],
  options: sharedOptions,
  run: (terminal, { options, positionals: [typed = ''] }) => decide(terminal, options, numberOf(typed), 'reject'),
})

const WORDS: Readonly<Record<Verdict, string>> = { approve: 'approved', reject: 'rejected' }

async function decide(
  terminal: Terminal,
  options: PlaceOptions & { readonly json?: boolean | undefined },
  id: number,
  verdict: Verdict,
): Promise<ExitCode> {
  const { proposalName } = await import('../../servers/memory/render/section-diff.ts')
  const { decideChange } = await import('../../servers/memory/decision.ts')
  const decided = await withChanges(terminal, options, async ({ audit, clock, database }) =>
    decideChange({ db: database, clock, audit, by: { caller: 'cli', callerKind: 'cli' } }, id, verdict),
  )
  if (options.json === true)
    terminal.out(visibleJson(JSON.stringify({ ...factsOf(decided), decision: WORDS[verdict] })))
  else terminal.out(`${verdict === 'approve' ? 'Approved' : 'Rejected'}: ${proposalName(decided)}.`)
  return exitCodes.ok
}

async function withChanges<T>(
  terminal: Terminal,
  options: PlaceOptions,
  work: (gateway: Gateway, changes: typeof approval) => Promise<T>,
): Promise<T> {
  const config = configOf(terminal, options)
  refuseMissing(config)
  const changes = await import('../../servers/memory/approval.ts')
  return await withGateway(config, async (gateway) => await work(gateway, changes))
}

function numberOf(typed: string): number {
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UsageError(`a change has a number, not ${JSON.stringify(typed)}`)
}

function factsOf({ id, action, key, deviceId, projectId, caller, client, createdAt }: Proposal) {
  return {
    id,
    action,
    section: key,
    device: deviceId,
    project: projectId,
    caller,
    client,
    since: new Date(createdAt).toISOString(),
  }
}

const rowOf = ({ proposal, stale }: approval.WaitingChange) => ({ ...factsOf(proposal), stale })

function coloured(terminal: Terminal, line: string): string {
  if (line.startsWith('+ ')) return terminal.style('green', line)
  return line.startsWith('- ') ? terminal.style('red', line) : line
}
