// Runs one tool for the person at a shell, and prints how it ended. What the tool asks is answered here, in the same process.
import type { Gateway } from '../gateway.ts'
import { objectOf } from '../lib/json.ts'
import type { Caller, ElicitChannel } from '../runtime/context.ts'
import { invoke } from '../runtime/invoke.ts'
import type { InputRequest, Reply } from '../runtime/reply.ts'
import { answerRequests } from './answer-requests.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { UsageError } from './options.ts'
import { startProgress } from './progress.ts'
import { printError, printReply } from './print-reply.ts'
import { replyText } from './reply-text.ts'
import { untilSignal } from './signals.ts'
import type { Terminal } from './terminal.ts'

/** A tool that keeps asking is stopped after this many questions. */
const ROUNDS_MAX = 8

const caller: Caller = Object.freeze({ id: 'cli', kind: 'cli', scopes: 'all' })

export interface ToolRequest {
  readonly server: string
  readonly tool: string
  readonly params: Record<string, unknown>
  readonly json: boolean
  /** Whether the command line agrees to whatever the tool asks. */
  readonly yes: boolean
}

/** Throws UsageError for a tool that is not there. */
export async function runTool(terminal: Terminal, { catalog }: Gateway, request: ToolRequest): Promise<ExitCode> {
  const { server, tool, params, json, yes } = request
  const cancelled = new AbortController()
  const done = new AbortController()
  void untilSignal(done.signal).then(() => cancelled.abort())
  const progress = startProgress(terminal, `${server} ${tool}`)
  try {
    let elicit: ElicitChannel = { supported: true }
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const call = { caller, server, tool, params, signal: cancelled.signal, progress: progress.at, elicit }
      const outcome = await invoke(catalog, call)
      progress.end()
      if (outcome.kind === 'unknown-tool') throw new UsageError(outcome.message)
      if (outcome.kind === 'reply') {
        if (outcome.reply.isError === true && isDeclined(elicit)) return printDeclined(terminal, request)
        return printReply(terminal, outcome.reply, request)
      }
      if (outcome.kind === 'invalid-state') break
      if (!yes && !terminal.isInteractive) return printQuestions(terminal, outcome.requests, json)
      elicit = {
        supported: true,
        responses: await answerRequests(terminal, outcome.requests, yes),
        state: outcome.state,
      }
    }
    terminal.err(`crow: ${tool} asked too often or for too long, and was stopped.`)
    return exitCodes.failure
  } finally {
    done.abort()
  }
}

function isDeclined({ responses }: ElicitChannel): boolean {
  return Object.values(responses ?? {}).some((answer) => objectOf(answer)['action'] === 'decline')
}

function printDeclined(terminal: Terminal, { tool, json }: ToolRequest): ExitCode {
  const message = tool.startsWith('delete_') ? 'Nothing was deleted.' : 'Nothing was changed.'
  if (json) return printError(terminal, 'CANCELLED', message, exitCodes.failure)
  terminal.err(message)
  return exitCodes.failure
}

/** Nobody is here to answer: shows what would happen, and how to agree to it. */
function printQuestions(terminal: Terminal, requests: Readonly<Record<string, InputRequest>>, json: boolean): ExitCode {
  const messages = Object.values(requests).map(({ params }) => params['message'])
  const texts = messages.filter((message) => typeof message === 'string')
  const reply: Reply = { content: texts.map((text) => ({ type: 'text', text })) }
  const advice = 'nothing was changed; run it again with --yes to go through with it.'
  if (json) return printError(terminal, 'CONFIRM_REQUIRED', `${replyText(reply)}\n\n${advice}`, exitCodes.failure)
  terminal.out(replyText(reply))
  terminal.err(`crow: ${advice}`)
  return exitCodes.failure
}
