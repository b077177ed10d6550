// `crow audit`: who did what and how it ended, from the trail on the disk; with --follow what any process adds to it.
import { setTimeout as delay } from 'node:timers/promises'
import type { AuditEntry, AuditFilter } from '../../db/audit-reader.ts'
import type { Database } from '../../db/client.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { momentOf } from '../moment.ts'
import { configOf } from '../setup.ts'
import { untilSignal } from '../signals.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'

/** How often a follower looks for new rows; they come to the disk in groups four times a second. */
const LOOK_MS = 250
/** Rows a follower takes at once. */
const FOLLOW_ROWS = 500

const HEAD = ['when', 'who', 'client', 'session', 'what', 'effect', 'outcome', 'bytes', 'ms'] as const

export const audit = defineCommand({
  name: 'audit',
  usage: '[--since WHEN] [--server ID] [--tool NAME] [--caller WHO] [--outcome WORD] [--limit N] [--follow] [--json]',
  summary: 'show who did what, newest first; never what was said',
  options: {
    ...sharedOptions,
    since: { type: 'text', value: 'WHEN', help: 'how long ago (30m, 12h, 7d) or a date; the whole trail when absent' },
    server: { type: 'text', value: 'ID', help: 'calls of one server; gateway for logins, consents and tokens' },
    tool: { type: 'text', value: 'NAME', help: 'one tool, or one event such as login or token_revoke' },
    caller: { type: 'text', value: 'WHO', help: 'local:3, oauth:12, a kind (oauth, cli) or the name of a client' },
    outcome: { type: 'text', value: 'WORD', help: 'ok, a code such as NOT_FOUND, or failed for all that went wrong' },
    limit: { type: 'integer', value: 'N', min: 1, max: 100_000, help: 'rows at most (50)' },
    follow: { type: 'flag', short: 'f', help: 'oldest first, and go on with what is added until Ctrl-C' },
    json: { type: 'flag', help: 'one JSON object per line (NDJSON)' },
  },
  notes: [
    'CROW_AUDIT_DAYS says how far the trail goes back. Arguments, results and secrets are never in it, only sizes.',
  ],
  async run(terminal, { options }) {
    const { server, tool, caller, outcome, limit = 50 } = options
    const since = options.since === undefined ? undefined : momentOf('since', options.since, Date.now())
    const config = configOf(terminal, options)
    const { openDatabase } = await import('../../db/client.ts')
    const database = await openDatabase({ path: config.databasePath })
    try {
      const asked = { filter: { since, server, tool, caller, outcome }, limit, asJson: options.json === true }
      await (options.follow === true ? follow(terminal, database, asked) : list(terminal, database, asked))
      return exitCodes.ok
    } finally {
      await database.close()
    }
  },
})

interface Asked {
  readonly filter: AuditFilter
  readonly limit: number
  readonly asJson: boolean
}

async function list(terminal: Terminal, database: Database, { filter, limit, asJson }: Asked): Promise<void> {
  const { newestAudit } = await import('../../db/audit-reader.ts')
  const rows = await database.read((reader) => newestAudit(reader, filter, limit))
  if (asJson) for (const row of rows) terminal.out(jsonOf(row))
  else if (rows.length === 0) terminal.out('The audit trail has nothing like this.')
  else for (const line of tableOf(HEAD, rows.map(cellsOf))) terminal.out(line)
}

async function follow(terminal: Terminal, database: Database, { filter, limit, asJson }: Asked): Promise<void> {
  const { auditAfter, isGoodOutcome, lastAuditId, newestAudit } = await import('../../db/audit-reader.ts')
  const print = (row: AuditEntry): void =>
    terminal.out(asJson ? jsonOf(row) : lineOf(terminal, row, isGoodOutcome(row.outcome)))
  const ended = new AbortController()
  const signal = untilSignal(ended.signal)
  // What is written between the two reads is left to the loop.
  let last = await database.read(lastAuditId)
  const newest = await database.read((reader) => newestAudit(reader, filter, limit))
  for (const row of newest.toReversed()) if (row.id <= last) print(row)
  do {
    const seen = last
    const rows = await database.read((reader) => auditAfter(reader, filter, seen, FOLLOW_ROWS))
    for (const row of rows) print(row)
    last = rows.at(-1)?.id ?? last
  } while (!(await Promise.race([signal, delay(LOOK_MS, false, { signal: ended.signal })])))
  ended.abort()
}

/** One row for programs. */
function jsonOf({ at, ...rest }: AuditEntry): string {
  return visibleJson(JSON.stringify({ at: new Date(at).toISOString(), ...rest }))
}

function cellsOf(row: AuditEntry): (string | number)[] {
  return [
    new Date(row.at).toISOString(),
    visible(row.address === null ? row.caller : `${row.caller} ${row.address}`),
    visible(row.client ?? '-'),
    visible(row.session ?? '-'),
    visible(`${row.server}.${row.tool}${row.subject === null ? '' : ` ${row.subject}`}`),
    row.effect,
    visible(row.outcome),
    row.bytes,
    row.durationMs,
  ]
}

function lineOf(terminal: Terminal, row: AuditEntry, isGood: boolean): string {
  const [when = '', who = '', client = '', session = '', what = '', effect = '', outcome = ''] =
    cellsOf(row).map(String)
  return [
    terminal.style('dim', when),
    what.padEnd(36),
    effect.padEnd(8),
    terminal.style(isGood ? 'green' : 'red', outcome.padEnd(20)),
    `${row.durationMs} ms`.padStart(9),
    `${row.bytes} B`.padStart(9),
    terminal.style('dim', [` ${who}`, client, session].filter((part) => part !== '-').join(' ')),
  ].join(' ')
}
