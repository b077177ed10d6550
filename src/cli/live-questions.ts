// What a command asks of the processes that run on its data folder, over their live sockets: how external servers are doing, and
// what they wrote. One line of JSON each way.
import type { Socket } from 'node:net'
import type { Gateway } from '../gateway.ts'
import { isRecord } from '../lib/json.ts'
import { LineReader } from '../lib/line-reader.ts'
import { liveSockets, openLive } from './live-sockets.ts'

const ANSWER_MS = 1_500
const QUESTION_BYTES_MAX = 1024
/** Two hundred lines of stderr are less. */
const ANSWER_BYTES_MAX = 4 << 20

export type Question = { readonly ask: 'servers' } | { readonly ask: 'server-logs'; readonly id: string }

/** How one external server is doing. */
export interface ServerState {
  readonly id: string
  readonly tools: number
  readonly status: string
  readonly restarts: number
  readonly lastError?: string
}

/** One line that a server caused. */
export interface ServerLogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly message: string
  /** JSON, cut where it is long; `{"line": …}` is what the server wrote. */
  readonly detail?: string
}

/** What a process that supervises external servers can say of them. */
export interface LiveAnswers {
  states(): readonly ServerState[]
  /** Oldest first; undefined for a server that is not there. */
  logs(id: string): readonly ServerLogLine[] | undefined
}

/** What this process can say. A status without a connection may be another process's to know. */
export function liveAnswers({ externals }: Pick<Gateway, 'externals'>): LiveAnswers {
  return {
    states: () => externals.source.statuses?.() ?? [],
    logs: (id) => (externals.source.areas?.().some((area) => area.id === id) === true ? externals.logs(id) : undefined),
  }
}

/** Answers every question that comes over a connection. Whoever writes something else, or without end, is let go. */
export function answerQuestions(socket: Socket, answers: LiveAnswers): void {
  const reader = new LineReader(QUESTION_BYTES_MAX)
  socket.on('data', (chunk: Buffer) => {
    for (const line of reader.read(chunk)) {
      const question = line.kind === 'text' ? questionIn(line.text) : undefined
      if (question !== undefined) socket.write(`${JSON.stringify({ answer: answerTo(question, answers) ?? null })}\n`)
    }
    if (reader.isOver) socket.destroy()
  })
}

function answerTo(question: Question, answers: LiveAnswers): unknown {
  return question.ask === 'servers' ? answers.states() : answers.logs(question.id)
}

function questionIn(line: string): Question | undefined {
  const parsed = parsedLine(line)
  if (parsed?.['ask'] === 'servers') return { ask: 'servers' }
  const id = parsed?.['id']
  return parsed?.['ask'] === 'server-logs' && typeof id === 'string' ? { ask: 'server-logs', id } : undefined
}

/**
 * Asks every process on the data folder.
 * @returns what each answered in time; null where it has none
 */
export async function askRunning(dataDir: string, question: Question): Promise<unknown[]> {
  const asked = liveSockets(dataDir).map(async (entry) => {
    const socket = await openLive(entry)
    if (socket === undefined || socket === 'dead') return undefined
    const answer = await answerOf(socket, question)
    socket.destroy()
    return answer
  })
  return (await Promise.all(asked)).filter((answer) => answer !== undefined)
}

/** Undefined where no answer came: it is of another version, or too busy. */
async function answerOf(socket: Socket, question: Question): Promise<unknown> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS)
    const reader = new LineReader(ANSWER_BYTES_MAX)
    socket.on('data', (chunk: Buffer) => {
      for (const line of reader.read(chunk)) {
        const parsed = line.kind === 'text' ? parsedLine(line.text) : undefined
        if (parsed !== undefined && Object.hasOwn(parsed, 'answer')) resolve(parsed['answer'])
      }
      if (reader.isOver) resolve(undefined)
    })
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    socket.write(`${JSON.stringify(question)}\n`)
  })
}

function parsedLine(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line)
    return isRecord(parsed) ? parsed : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
