// `crow ledger`: what lists of tools cost each client on each day, and what the router spared or cost it.
import { readLedger, type LedgerLine } from '../../db/context-ledger.ts'
import { LEDGER_DAYS } from '../../db/audit-sweep.ts'
import { estimateTokens, shownEstimate } from '../../runtime/ledger/estimate.ts'
import { dateOf, dayOf, savedBytes, totalOf } from '../../runtime/ledger/tally.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exactLists, type ExactList } from '../exact-lists.ts'
import { exitCodes } from '../exit-codes.ts'
import { configOf, refuseMissing, withGateway } from '../setup.ts'
import type { Config } from '../../config.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'

const DAYS = 7
const HEAD = [
  'day',
  'client',
  'lists',
  'sent',
  'direct',
  'discover',
  'errors',
  'saved',
  'sent tokens',
  'saved tokens',
] as const
const EXACT_HEAD = ['list of now', 'tools', 'bytes', 'tokens', 'bytes a token'] as const

export const ledger = defineCommand({
  name: 'ledger',
  usage: '[--days N] [--client NAME] [--exact] [--json]',
  summary: 'show what lists of tools cost each client, and what the router saved',
  options: {
    ...sharedOptions,
    days: {
      type: 'integer',
      value: 'N',
      min: 1,
      max: LEDGER_DAYS,
      help: `so many days (UTC), today included (${DAYS})`,
    },
    client: { type: 'text', value: 'NAME', help: 'one client: local:3, oauth:12, or its own name' },
    exact: { type: 'flag', help: 'count the tokens (o200k) of the lists as they are now' },
    json: { type: 'flag', help: 'one JSON object per line (NDJSON), one for each day, client and mount' },
  },
  notes: [
    'Figures without ~ are bytes, exactly as sent. direct is what the same answers would have been with every tool listed by itself; saved is direct less sent, less the replies of crow_discover, less replies of the router that say what was wrong with a call. It can be negative.',
    'A ~ marks tokens that are estimated, by bytes a token as measured when this version was built.',
    'What tools answer otherwise is not in it, and what came of any of it is not known here.',
  ],
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    refuseMissing(config)
    const since = dayOf(Date.now()) - (options.days ?? DAYS) + 1
    const { lines, exact } = await read(config, { since, client: options.client }, options.exact === true)
    if (options.json === true) {
      for (const line of lines) terminal.out(jsonOf(line))
      for (const list of exact) terminal.out(JSON.stringify({ exact: list }))
    } else {
      show(terminal, lines)
      if (exact.length > 0) for (const line of tableOf(EXACT_HEAD, exact.map(exactCells))) terminal.out(line)
    }
    return exitCodes.ok
  },
})

interface Read {
  readonly lines: readonly LedgerLine[]
  readonly exact: readonly ExactList[]
}

/** The whole gateway is opened only where its lists are wanted. */
async function read(config: Config, filter: Parameters<typeof readLedger>[1], isExact: boolean): Promise<Read> {
  if (isExact) {
    return await withGateway(config, async ({ catalog, database }) => ({
      lines: await database.read((reader) => readLedger(reader, filter)),
      exact: await exactLists(catalog),
    }))
  }
  const { openDatabase } = await import('../../db/client.ts')
  const database = await openDatabase({ path: config.databasePath })
  try {
    return { lines: await database.read((reader) => readLedger(reader, filter)), exact: [] }
  } finally {
    await database.close()
  }
}

function show(terminal: Terminal, lines: readonly LedgerLine[]): void {
  if (lines.length === 0) {
    terminal.out('No list of tools was sent in these days.')
    return
  }
  const groups = Map.groupBy(lines, ({ day, client }) => JSON.stringify([day, client]))
  const rows = [...groups.values()].map((of) => cellsOf(dateOf(of[0]?.day ?? 0), of[0]?.client ?? '-', of))
  for (const line of tableOf(HEAD, [...rows, cellsOf('total', '', lines)])) terminal.out(line)
}

function cellsOf(day: string, client: string, lines: readonly LedgerLine[]): (string | number)[] {
  const total = totalOf(lines)
  const { sent, saved } = estimateTokens(lines)
  return [
    day,
    visible(client),
    total.lists,
    total.listBytes,
    total.directBytes,
    total.discoverBytes,
    total.errorBytes,
    savedBytes(total),
    shownEstimate(sent),
    shownEstimate(saved),
  ]
}

const exactCells = ({ mount, tools, bytes, tokens }: ExactList): (string | number)[] => [
  mount,
  tools,
  bytes,
  tokens,
  (bytes / tokens).toFixed(2),
]

/** One line for programs; tokens are rounded estimates. */
function jsonOf(line: LedgerLine): string {
  const estimate = Object.entries(estimateTokens([line])).map(([name, tokens]) => [name, Math.round(tokens)])
  return visibleJson(
    JSON.stringify({
      ...line,
      day: dateOf(line.day),
      savedBytes: savedBytes(line),
      estimatedTokens: Object.fromEntries(estimate),
    }),
  )
}
