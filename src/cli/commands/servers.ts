// `crow servers`: which external servers there are, what one of them has, and what it wrote.
import { GatewayError } from '../../errors.ts'
import { isRecord } from '../../lib/json.ts'
import { nearest } from '../../lib/nearest.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { startProgress } from '../progress.ts'
import { configOf } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import type { Place } from '../servers/place.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Failed, Tried } from '../servers/try-server.ts'

export const serversList = defineCommand({
  name: 'servers list',
  usage: '[--available] [--json]',
  summary: 'list the external servers, and what is wrong with any of them',
  options: {
    ...sharedOptions,
    available: { type: 'flag', help: 'the integrations that can be added by their name alone' },
  },
  async run(terminal, { options }) {
    if (options.available === true) return await listAvailable(terminal, options.json === true)
    const { viewServers } = await import('../servers/place.ts')
    const { serverRows } = await import('../servers/rows.ts')
    return await viewServers(terminal, configOf(terminal, options), async (place) => {
      const rows = await serverRows(place)
      const broken = place.list.problems.filter(({ id }) => id === 'servers.json').map(({ message }) => message)
      if (options.json === true) terminal.out(JSON.stringify({ servers: rows, problems: broken }))
      else printRows(terminal, rows)
      if (options.json !== true) for (const line of [...broken, ...notesOf(place, rows)]) terminal.err(line)
      return broken.length > 0 || rows.some(({ state }) => state === 'problem') ? exitCodes.failure : exitCodes.ok
    })
  },
})

function printRows(terminal: Terminal, rows: readonly ServerRow[]): void {
  if (rows.length === 0) {
    terminal.out('There is no external server. crow servers add makes one; crow servers list --available names some.')
    return
  }
  const cells = rows.map(({ id, kind, state, tools, from, target, reach }) => [
    id,
    kind,
    state,
    tools,
    from,
    reach === null || reach === 'public' ? target : `${target} (${reach})`,
  ])
  for (const line of tableOf(['id', 'kind', 'state', 'tools', 'from', 'where'], cells)) terminal.out(line)
}

function notesOf({ list }: Place, rows: readonly ServerRow[]): string[] {
  const known = new Set(rows.flatMap(({ notes }) => notes))
  const others = list.notes.map(({ message }) => visible(message)).filter((message) => !known.has(message))
  return [...rows.flatMap(problemLines), ...known, ...others]
}

/** Which server it is about, and below that what the server wrote last. */
function problemLines({ id, problem }: ServerRow): string[] {
  if (problem === null) return []
  const [reason = '', ...written] = problem.split('\n')
  return [reason.startsWith(`${id} `) ? reason : `${id}: ${reason}`, ...written.map((line) => `  ${line}`)]
}

async function listAvailable(terminal: Terminal, asJson: boolean) {
  const { integrations } = await import('../../upstream/integrations.ts')
  const rows = integrations.map((one) => {
    const { id, name, description, category, variables, requires, verified, keyUrl = null, docsUrl } = one
    return { id, name, description, category, variables, requires, verified, keyUrl, docsUrl }
  })
  if (asJson) terminal.out(JSON.stringify(rows))
  else {
    const cells = rows.map(({ id, description, variables, verified }) => [
      id,
      verified ? 'yes' : 'no',
      variables.join(' ') || null,
      description,
    ])
    for (const line of tableOf(['id', 'verified', 'variables', 'what it is'], cells)) terminal.out(line)
  }
  return exitCodes.ok
}

export const serversShow = defineCommand({
  name: 'servers show',
  usage: 'ID [--json]',
  summary: 'show how one external server is configured; never a secret',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [id = ''] }) {
    const { viewServers } = await import('../servers/place.ts')
    const { serverRows } = await import('../servers/rows.ts')
    const { describe } = await import('../servers/describe.ts')
    return await viewServers(terminal, configOf(terminal, options), async (place) => {
      const row = knownRow(await serverRows(place), id)
      const facts = { ...row, ...describe(place, id) }
      if (options.json === true) terminal.out(JSON.stringify(facts))
      else {
        const shown = Object.entries(facts).filter(([, value]) => value !== null && !isEmpty(value))
        for (const [key, value] of shown) terminal.out(`${key.padEnd(10)} ${textOf(value)}`)
      }
      return row.state === 'problem' ? exitCodes.failure : exitCodes.ok
    })
  },
})

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ')
  const text = isRecord(value) ? JSON.stringify(value) : String(value)
  return text
    .split('\n')
    .map((line) => visible(line))
    .join(`\n${' '.repeat(11)}`)
}

export const serversTest = defineCommand({
  name: 'servers test',
  usage: 'ID [--json]',
  summary: 'connect to one external server and count what it has',
  positionals: [1, 1],
  options: sharedOptions,
  notes: ['Starts it in this process and ends it again, whether or not a gateway runs, and also where it is disabled.'],
  async run(terminal, { options, positionals: [id = ''] }) {
    const { viewServers } = await import('../servers/place.ts')
    const { serverRows } = await import('../servers/rows.ts')
    const { openLinkWith } = await import('../../gateway/open-link.ts')
    const { tryServer } = await import('../servers/try-server.ts')
    return await viewServers(terminal, configOf(terminal, options), async (place) => {
      const row = knownRow(await serverRows(place), id)
      const spec = place.list.specs.find((one) => one.id === id)
      if (spec === undefined) throw invalid(row.problem ?? `${id} cannot be read`)
      const result = await showingTime(terminal, `waiting for ${id}`, tryServer(spec, openLinkWith(terminal.env)))
      if (options.json === true) terminal.out(JSON.stringify({ id, ...result }))
      else if (result.ok) printTried(terminal, result)
      else printFailed(terminal, id, result)
      return result.ok ? exitCodes.ok : exitCodes.failure
    })
  },
})

/** A start may install a package first. */
async function showingTime<T>(terminal: Terminal, label: string, work: Promise<T>): Promise<T> {
  const progress = startProgress(terminal, label)
  let seconds = 0
  const timer = setInterval(() => progress.at(++seconds, undefined, 's'), 1_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    progress.end()
  }
}

function printTried(terminal: Terminal, tried: Tried): void {
  terminal.out(
    `${visible(tried.name)} ${visible(tried.version)}, MCP ${visible(tried.protocolVersion)}, era ${tried.era}`,
  )
  const { tools, prompts, resources, templates, ms } = tried
  terminal.out(`tools ${tools}, prompts ${prompts}, resources ${resources}, templates ${templates}, in ${ms} ms`)
  for (const note of tried.notes) terminal.err(visible(note))
}

function printFailed(terminal: Terminal, id: string, { reason, stderr }: Failed): void {
  terminal.err(`crow: ${id} cannot be used: ${visible(reason)}`)
  if (stderr.length > 0) terminal.err('The last lines it wrote:')
  for (const line of stderr) terminal.err(`  ${visible(line)}`)
}

export const serversLogs = defineCommand({
  name: 'servers logs',
  usage: 'ID [--json]',
  summary: 'show the last lines that a running external server wrote',
  positionals: [1, 1],
  options: sharedOptions,
  notes: ['They are kept in the memory of the gateway that runs it, and are gone when that ends.'],
  async run(terminal, { options, positionals: [id = ''] }) {
    const { askRunning } = await import('../live-questions.ts')
    const { dataDir } = configOf(terminal, options)
    const answers = await askRunning(dataDir, { ask: 'server-logs', id })
    if (answers.length === 0)
      throw new GatewayError(
        'unavailable',
        'GATEWAY_NOT_RUNNING',
        `no gateway with external servers runs on ${dataDir}`,
        {
          hint: `crow servers test ${id} shows what it writes at its start.`,
        },
      )
    const known = answers.filter((answer) => Array.isArray(answer))
    if (known.length === 0) throw unknown(id, [])
    for (const line of known.flat().filter(isRecord))
      terminal.out(options.json === true ? JSON.stringify(line) : logLine(line))
    return exitCodes.ok
  },
})

function logLine({ at, message, detail }: Record<string, unknown>): string {
  return visible(`${new Date(Number(at)).toISOString()} ${String(message)}${detailOf(detail)}`)
}

/** A line that the server wrote, as it is; other details as the JSON they are kept in, which may be cut. */
function detailOf(detail: unknown): string {
  if (typeof detail !== 'string' || detail === '' || detail === '{}') return ''
  const written = /^\{"line":(".*")\}$/.exec(detail)?.[1]
  return written === undefined ? ` ${detail}` : `: ${String(JSON.parse(written))}`
}

function knownRow(rows: readonly ServerRow[], id: string): ServerRow {
  const row = rows.find((one) => one.id === id)
  if (row === undefined)
    throw unknown(
      id,
      rows.map((one) => one.id),
    )
  return row
}

/** @param ids those that there are */
export function unknown(id: string, ids: readonly string[]): GatewayError {
  const near = nearest(id, ids)
  return new GatewayError('missing', 'SERVER_MISSING', `there is no external server ${JSON.stringify(visible(id))}`, {
    hint: near === undefined ? 'crow servers list shows those that there are.' : `Did you mean ${near}?`,
  })
}

export function invalid(message: string): GatewayError {
  return new GatewayError('invalid', 'SERVER_INVALID', message)
}
