// The context ledger in a few lines for a model: days, and clients where there are several. Estimates, and no word about what
// came of them.
import type { LedgerLine } from '../../../db/context-ledger.ts'
import { estimateTokens, shownEstimate } from '../../../runtime/ledger/estimate.ts'
import { dateOf, totalOf } from '../../../runtime/ledger/tally.ts'

/** Clients that have a line; the others are one. */
const CLIENTS_SHOWN = 4
const NAME_CHARS_MAX = 24
/** Controls, formats, separators and what has no meaning yet: none of it is part of a name. */
const UNSEEN = /[\p{C}\p{Z}]+/gu

/** @param lines newest day first. @param days how many days were looked at, @param today the last of them */
export function renderLedger(lines: readonly LedgerLine[], { today, days }: { today: number; days: number }): string {
  const span = `${days} days to ${dateOf(today)} (UTC)`
  if (lines.length === 0) return `No list of tools was sent in ${span}.`
  const byDay = Map.groupBy(lines, ({ day }) => dateOf(day).slice('2026-'.length))
  const byClient = Map.groupBy(lines, ({ client }) => shownName(client))
  return [
    `Tool lists in tokens, ~ estimated, ${span}. extra: crow_discover and errors. saved: every tool by itself, less sent and extra.`,
    'day lists sent extra saved',
    ...[...byDay].map(([day, of]) => rowOf(day, of)),
    ...(byClient.size > 1 ? ['by client', ...clientRows([...byClient])] : []),
    ...(byDay.size > 1 ? [rowOf('all', lines)] : []),
  ].join('\n')
}

/** Those with most lists first. */
function clientRows(clients: readonly (readonly [string, readonly LedgerLine[]])[]): string[] {
  const ordered = clients.toSorted(([, one], [, other]) => totalOf(other).lists - totalOf(one).lists)
  const rest = ordered.slice(CLIENTS_SHOWN)
  const others = [`${rest.length} more`, rest.flatMap(([, lines]) => lines)] as const
  return [...ordered.slice(0, CLIENTS_SHOWN), ...(rest.length === 0 ? [] : [others])].map((row) => rowOf(...row))
}

function rowOf(name: string, lines: readonly LedgerLine[]): string {
  const { sent, discover, errors, saved } = estimateTokens(lines)
  return [name, totalOf(lines).lists, ...[sent, discover + errors, saved].map(shownEstimate)].join(' ')
}

/** A name that a client gave itself, on one line. */
const shownName = (name: string): string =>
  name.replaceAll(UNSEEN, ' ').trim().slice(0, NAME_CHARS_MAX).toWellFormed() || '-'
