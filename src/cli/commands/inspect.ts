// `crow inspect`: shows the calls of every gateway process on the data folder while they happen.
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../../errors.ts'
import { LineReader } from '../../lib/line-reader.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { crowCommand } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { shellLine } from '../launch.ts'
import { isLiveCall } from '../live-feed.ts'
import { liveSockets, openLive, removeLive } from '../live-sockets.ts'
import { greetingIn, LINE_BYTES_MAX } from '../running.ts'
import { configOf } from '../setup.ts'
import { untilSignal } from '../signals.ts'
import { visible, visibleJson } from '../visible.ts'
import type { Terminal } from '../terminal.ts'

/** How often a process that started meanwhile is looked for. */
const RESCAN_MS = 1_000

export const inspect = defineCommand({
  name: 'inspect',
  usage: '[--json]',
  summary: 'watch the calls of running gateways as they happen',
  options: { ...sharedOptions, json: { type: 'flag', help: 'one JSON object per line (NDJSON)' } },
  notes: [
    'Shows names, sizes and times, never arguments or results. Ends with Ctrl-C, or when the last gateway ends.',
    'A crow call from a shell is a process of its own, and is not shown.',
  ],
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    const folder = config.dataDir
    const watched = new Map<string, Socket>()
    const print =
      options.json === true
        ? (line: string) => terminal.out(visibleJson(line))
        : (line: string) => terminal.out(rowOf(terminal, line))
    await watchNew(folder, watched, print)
    if (watched.size === 0) {
      throw new GatewayError('unavailable', 'GATEWAY_NOT_RUNNING', `no gateway is running on ${folder}`, {
        hint: `${shellLine(crowCommand(terminal, config, 'serve'))} starts one.`,
      })
    }
    // A program that reads the lines finds nothing else, not even on stderr.
    if (options.json !== true || terminal.errIsTerminal)
      terminal.err(
        `Watching ${folder} (${watched.size === 1 ? 'one process' : `${watched.size} processes`}): calls appear here as they happen, Ctrl-C ends it.`,
      )
    const ended = new AbortController()
    const signal = untilSignal(ended.signal)
    while (watched.size > 0 && !(await Promise.race([signal, delay(RESCAN_MS, false, { signal: ended.signal })]))) {
      await watchNew(folder, watched, print)
    }
    ended.abort()
    for (const socket of watched.values()) socket.destroy()
    return exitCodes.ok
  },
})

async function watchNew(folder: string, watched: Map<string, Socket>, print: (line: string) => void): Promise<void> {
  const fresh = liveSockets(folder).filter((path) => !watched.has(path))
  await Promise.all(
    fresh.map(async (path) => {
      const socket = await open(path)
      if (socket === undefined) return
      watched.set(path, socket)
      socket.once('close', () => watched.delete(path))
      printLines(socket, print)
    }),
  )
}

/** Until the connection ends: what a killed process resets, or what sends a line that no gateway sends, is let go. */
function printLines(socket: Socket, print: (line: string) => void): void {
  const reader = new LineReader(LINE_BYTES_MAX)
  let unendedBytes = 0
  socket.on('data', (chunk: Buffer) => {
    const lastEnd = chunk.lastIndexOf('\n')
    unendedBytes = lastEnd === -1 ? unendedBytes + chunk.length : chunk.length - lastEnd - 1
    for (const line of reader.read(chunk)) {
      if (line.kind === 'text' && isWhole(line.text) && greetingIn(line.text) === undefined) print(line.text)
    }
    if (unendedBytes > LINE_BYTES_MAX) socket.destroy()
  })
}

/** A connection to a living process; what one that died left behind is removed. */
async function open(path: string): Promise<Socket | undefined> {
  const found = await openLive(path)
  if (found !== 'dead') return found
  removeLive(path)
  return undefined
}

/** False for what a process that was killed while it wrote left of its last line. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function rowOf(terminal: Terminal, line: string): string {
  const call: unknown = JSON.parse(line)
  if (!isLiveCall(call)) return visible(line)
  const isGood = call.outcome === 'ok' || call.outcome === 'confirm' || call.outcome === 'input-required'
  const outcome = call.code ?? call.outcome
  return [
    terminal.style('dim', visible(call.at).slice(11, 23)),
    visible(`${call.server}.${call.tool}`).padEnd(36),
    terminal.style(isGood ? 'green' : 'red', visible(outcome).padEnd(20)),
    `${call.durationMs.toFixed(1)} ms`.padStart(11),
    `${call.bytes} B`.padStart(9),
    terminal.style(
      'dim',
      visible(` ${call.caller}${call.client === undefined ? '' : ` (${call.client})`} pid ${call.pid}`),
    ),
  ].join(' ')
}
