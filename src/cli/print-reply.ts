// Prints what a tool answered: text for a person, one line of JSON for a program, a fault as sentences and an exit code.
import { isRecord } from '../lib/json.ts'
import type { Reply } from '../runtime/reply.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { asSentence } from './failure.ts'
import { replyText } from './reply-text.ts'
import type { Terminal } from './terminal.ts'

/** Which tool answered, and how. */
export interface Asked {
  readonly server: string
  readonly tool: string
  readonly json: boolean
}

/** Codes of a command line that is wrong, whoever found that out. */
const WRONG_CALL = ['VALIDATION_ERROR', 'MISSING_REQUIRED_FIELD', 'MISSING_DISCRIMINATOR', 'INVALID_DISCRIMINATOR']

export function printReply(terminal: Terminal, reply: Reply, asked: Asked): ExitCode {
  if (reply.isError === true) return printFault(terminal, reply, asked)
  terminal.out(asked.json ? JSON.stringify(dataOf(reply)) : replyText(reply))
  return exitCodes.ok
}

/** One error, in the shape that every command has for programs. */
export function printError(terminal: Terminal, code: string, message: string, exitCode: ExitCode): ExitCode {
  terminal.err(JSON.stringify({ error: { code, message }, exitCode }))
  return exitCode
}

/** What the tool gave as data, or its text; with media, the blocks as well. */
function dataOf(reply: Reply): unknown {
  const { structuredContent, content } = reply
  if (structuredContent !== undefined) return structuredContent
  const text = replyText(reply)
  if (content.some(({ type }) => type !== 'text')) return { text, content }
  return recordIn(text) ?? { text }
}

/** Data without a presenter is its own JSON. */
function recordIn(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return isRecord(parsed) || Array.isArray(parsed) ? parsed : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function printFault(terminal: Terminal, reply: Reply, { server, tool, json }: Asked): ExitCode {
  const text = replyText(reply)
  const code = /^<tool_error code="(\w+)"/.exec(text)?.[1]
  const message = childOf(text, 'message')
  if (code === undefined || message === undefined) {
    if (json) return printError(terminal, 'INTERNAL_ERROR', text, exitCodes.failure)
    terminal.err(text)
    return exitCodes.failure
  }
  const isWrongCall = WRONG_CALL.includes(code)
  const exitCode = isWrongCall ? exitCodes.usage : exitCodes.failure
  if (json) return printError(terminal, code, asSentence(message), exitCode)
  terminal.err(`crow: ${asSentence(message)}`)
  const recovery = childOf(text, 'recovery')
  if (isWrongCall) terminal.err(`Run crow call ${server} ${tool} --help for how it is used.`)
  else if (recovery !== undefined) terminal.err(`crow: ${asSentence(recovery)}`)
  return exitCode
}

/** A part of a fault as models read it, in plain words again. */
function childOf(text: string, name: string): string | undefined {
  const escaped = new RegExp(`^<${name}>([\\s\\S]*?)</${name}>$`, 'm').exec(text)?.[1]
  return escaped?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => characters[entity] ?? '')
}

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
