// What a caller is told when an external server could not do its part. Names the source and the reason, never what it wrote to stderr.
import { fault, ToolFault } from '../runtime/fault.ts'
import { RPC_CODE } from '../lib/mcp-names.ts'
import { LinkFailure, LinkTimeout, RpcError, type LinkEnd } from '../lib/link.ts'

const MESSAGE_CHARS_MAX = 2_000
/** 2025 only. */
const RESOURCE_NOT_FOUND = -32002
const TELL = 'Do without it, or tell the user.'

/** A start failed. */
export const startFault = (title: string, reason: string): ToolFault =>
  fault('UNAVAILABLE', `${title} could not be started: ${sentence(reason)}`, { recovery: TELL })

/** The circuit is open. @param ms until the next try */
export const openFault = (title: string, reason: string, ms: number): ToolFault =>
  fault(
    'UNAVAILABLE',
    `${title} has failed again and again and is tried next in ${seconds(ms)} s: ${sentence(reason)}`,
    {
      retryAfterMs: Math.ceil(ms),
      recovery: TELL,
    },
  )

export const crowdedFault = (title: string): ToolFault =>
  fault('SERVER_BUSY', `Too many calls wait for ${title} already.`, { retryAfterMs: 1_000 })

export const waitedFault = (title: string, ms: number): ToolFault =>
  fault('UNAVAILABLE', `${title} was not ready within ${seconds(ms)} s.`, { retryAfterMs: 5_000 })

export const goneFault = (title: string): ToolFault =>
  fault('UNAVAILABLE', `${title} was switched off or changed.`, { recovery: 'List the tools and use what there is.' })

/** What a failed request means to whoever called. Anything but a failure of the link is thrown on by the caller. */
export function requestFault(title: string, error: unknown, isRead: boolean): ToolFault | undefined {
  if (error instanceof ToolFault) return error
  if (error instanceof RpcError) return answeredFault(title, error)
  if (error instanceof LinkTimeout)
    return fault('TIMEOUT', `${title} did not answer within ${seconds(error.timeoutMs)} s.`)
  if (error instanceof LinkFailure) return endedFault(title, error.end, isRead)
  return undefined
}

function answeredFault(title: string, { code, message }: RpcError): ToolFault {
  const text = `${title} answered with error ${code}: ${message.slice(0, MESSAGE_CHARS_MAX)}`
  if (code === RESOURCE_NOT_FOUND) return fault('NOT_FOUND', text)
  return code === RPC_CODE.invalidParams || code === RPC_CODE.methodNotFound
    ? fault('INPUT_REJECTED', text)
    : fault('UNAVAILABLE', text, { recovery: 'This is its own error: try another way, or tell the user.' })
}

/** What it answered cannot be passed on. */
export const deepFault = (title: string, isRead: boolean): ToolFault =>
  fault('UNAVAILABLE', `${title} gave an answer that is nested too deep to be passed on.`, {
    recovery: isRead ? TELL : 'It has been done all the same: look before you call again.',
  })

function endedFault(title: string, end: LinkEnd, isRead: boolean): ToolFault {
  const recovery = isRead ? 'Call again.' : 'It may have been done: look before you call again.'
  return fault('UNAVAILABLE', `${title} ended while it worked on this call (${manner(end)}).`, { recovery })
}

/** How a process ended, for whoever has to tell a crash from a kill. */
export function manner({ reason, signal, exitCode }: LinkEnd): string {
  if (typeof signal === 'string' && !reason.includes(signal)) return `${withoutStop(reason)}; signal ${signal}`
  if (typeof exitCode === 'number' && !reason.includes(String(exitCode)))
    return `${withoutStop(reason)}; exit code ${exitCode}`
  return withoutStop(reason)
}

const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1_000))
const withoutStop = (text: string): string => text.replace(/\.$/, '')
const sentence = (text: string): string => `${withoutStop(text)}.`
