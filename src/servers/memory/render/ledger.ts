// The context ledger in a few lines for a model: days, and clients where there are several. Estimates, and no word about what
// came of them.
import type { LedgerLine } from '../../../db/context-ledger.ts'
import { estimateTokens, shownEstimate } from '../../../runtime/ledger/estimate.ts'
import { dateOf, totalOf } from '../../../runtime/ledger/tally.ts'

/** Clients that have a line; the others are one. */
const CLIENTS_SHOWN = 5
const NAME_CHARS_MAX = 24
/** Controls, formats, separators and what has no meaning yet: none of it is part of a name. */
const UNSEEN = /[\p{C}\p{Z}]+/gu

/** @param lines newest day first. @param days how many days were looked at, @param today the last of them */
export function renderLedger(lines: readonly LedgerLine[], { today, days }: { today: number; days: number }): string {
  const span = `${days} days to ${dateOf(today)} (UTC)`
  if (lines.length === 0) return `No list of tools was sent in ${span}.`
  const byDay = Map.groupBy(lines, ({ day }) => dateOf(day).slice('2000-'.length))
  const byClient = Map.groupBy(lines, ({ client }) => shownName(client))
  return [
    `Tool lists in tokens, estimated (~), ${span}. saved = direct - sent - discover - errors.`,
    'day lists sent direct discover errors saved',
    ...[...byDay].map(([day, of]) => rowOf(day, of)),
    ...(byClient.size > 1 ? ['by client', ...clientRows([...byClient])] : []),
    ...(byDay.size > 1 ? [rowOf('all', lines)] : []),
  ].join('\n')
}

function clientRows(clients: readonly (readonly [string, readonly LedgerLine[]])[]): string[] {
  const rows = clients.toSorted(([, one], [, other]) => totalOf(other).lists - totalOf(one).lists)
  const rest = rows.slice(CLIENTS_SHOWN)
  return [
    ...rows.slice(0, CLIENTS_SHOWN).map(([name, lines]) => rowOf(name, lines)),
    ...(rest.length === 0
      ? []
      : [
          rowOf(
            `${rest.length} more`,
            rest.flatMap(([, lines]) => lines),
          ),
        ]),
  ]
}

function rowOf(name: string, lines: readonly LedgerLine[]): string {
  const { sent, direct, discover, errors, saved } = estimateTokens(lines)
  return [name, totalOf(lines).lists, ...[sent, direct, discover, errors, saved].map(shownEstimate)].join(' ')
}

/** A name that a client gave itself, on one line. */
const shownName = (name: string): string =>
  name.replaceAll(UNSEEN, ' ').trim().slice(0, NAME_CHARS_MAX).toWellFormed() || '-'
