// Answers what a tool asks the person (MCP elicitation): on the terminal, or with yes when the command line said so.
import { objectOf } from '../lib/json.ts'
import type { InputRequest } from '../runtime/reply.ts'
import type { Terminal } from './terminal.ts'

type Schema = Readonly<Record<string, unknown>>
type Content = Readonly<Record<string, string | number | boolean>>

const declined = { action: 'decline' } as const

/** One answer per request, under the same key. What cannot be asked here is declined. */
export async function answerRequests(
  terminal: Terminal,
  requests: Readonly<Record<string, InputRequest>>,
  agreed: boolean,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(requests)) answers[key] = await answer(terminal, request, agreed)
  return answers
}

async function answer(terminal: Terminal, { method, params }: InputRequest, agreed: boolean): Promise<unknown> {
  if (method !== 'elicitation/create' || (params['mode'] ?? 'form') !== 'form') return declined
  const fields = Object.entries(objectOf(objectOf(params['requestedSchema'])['properties']))
  if (!agreed) {
    if (!terminal.isInteractive) return declined
    terminal.err(textOf(params['message']))
  }
  if (fields.length === 0)
    return agreed || (await isYes(terminal, 'Go on?')) ? { action: 'accept', content: {} } : declined
  const content: Record<string, string | number | boolean> = {}
  for (const [name, field] of fields) {
    const value = agreed ? agreedValue(objectOf(field)) : await askField(terminal, name, objectOf(field))
    if (value === undefined) return declined
    content[name] = value
  }
  return { action: 'accept', content: content satisfies Content }
}

/** `--yes` agrees; it does not invent texts or numbers. */
function agreedValue(field: Schema): string | number | boolean | undefined {
  if (field['type'] === 'boolean') return true
  return defaultOf(field)
}

async function askField(
  terminal: Terminal,
  name: string,
  field: Schema,
): Promise<string | number | boolean | undefined> {
  const label = typeof field['title'] === 'string' ? field['title'] : name
  if (field['type'] === 'boolean') return (await isYes(terminal, label)) ? true : undefined
  const choices = Array.isArray(field['enum']) ? ` (${field['enum'].join(', ')})` : ''
  const typed = await terminal.ask(`${label}${choices}: `)
  if (typed === '') return defaultOf(field)
  return field['type'] === 'number' || field['type'] === 'integer' ? Number(typed) : typed
}

async function isYes(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await terminal.ask(`${question} [y/N] `))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function defaultOf(field: Schema): string | number | boolean | undefined {
  const value = field['default']
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}
