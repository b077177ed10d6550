// The one way a fault looks to a model: compact, escaped, always the same children.
import { isMisunderstanding } from './codes.ts'
import { escapeXml, escapeXmlAttribute } from '../lib/xml.ts'
import type { ToolFault } from './fault.ts'
import type { Reply } from './reply.ts'

const MS_PER_SECOND = 1000

/** What of a fault may be seen. */
export type FaultFacts = Pick<
  ToolFault,
  'code' | 'message' | 'recovery' | 'retryAfterMs' | 'availableActions' | 'severity' | 'details'
>

/**
 * @param signature how the tool is called rightly; undefined when there is no such tool. Said only where another wording is the
 * remedy: a client that asked for what is not there has read it in the list.
 */
export function faultText(fault: FaultFacts, signature: string | undefined): string {
  const wait =
    fault.retryAfterMs === undefined
      ? ''
      : ` retry_after="${Math.max(1, Math.ceil(fault.retryAfterMs / MS_PER_SECOND))}"`
  const severity = fault.severity === 'error' ? '' : ` severity="${escapeXmlAttribute(fault.severity)}"`
  const lines = [
    `<tool_error code="${fault.code}"${wait}${severity}>`,
    child('message', fault.message),
    child('recovery', fault.recovery),
    child('signature', isMisunderstanding(fault.code) ? signature : undefined),
    child('available_actions', unnamed(fault).join(', ')),
    child('details', fault.details === undefined ? undefined : JSON.stringify(fault.details)),
    '</tool_error>',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** Those that the advice does not name already, with or without their prefix. */
function unnamed({ availableActions = [], recovery }: FaultFacts): readonly string[] {
  const named = new Set(recovery.match(/[\w.-]*\w/g)?.map((word) => word.replace(/^crow_/, '')))
  return availableActions.filter((name) => !named.has(name))
}

/** What is wrong is told up to here; the right call says the rest. */
const TAUGHT_LINES_MAX = 3
const TAUGHT_CHARS_MAX = 160

const cutAt = (line: string): string =>
  line.slice(0, Math.max(line.lastIndexOf(' ', TAUGHT_CHARS_MAX), TAUGHT_CHARS_MAX / 2)).toWellFormed()

/** @param lesson the call that was meant, one line of JSON, which ends the text */
export function taughtReply({ code, message }: FaultFacts, lesson: string): Reply {
  const lines = message.split('\n').map((line) => (line.length <= TAUGHT_CHARS_MAX ? line : `${cutAt(line)}…`))
  const more = lines.length > TAUGHT_LINES_MAX ? [`and ${lines.length - TAUGHT_LINES_MAX} more`] : []
  const said = [...lines.slice(0, TAUGHT_LINES_MAX), ...more].join('\n')
  const text = `<tool_error code="${code}">${escapeXml(said)}</tool_error>\n${lesson}`
  return { content: [{ type: 'text', text }], isError: true }
}

function child(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}

export function faultReply(fault: FaultFacts, signature: string | undefined): Reply {
  return { content: [{ type: 'text', text: faultText(fault, signature) }], isError: true }
}
