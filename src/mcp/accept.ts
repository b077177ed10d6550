// Reads an Accept header as real clients send it: absent, wildcards, weights, one form only.

/** Forms of an answer that the client takes. */
export interface Acceptable {
  readonly json: boolean
  readonly events: boolean
}

const EITHER: Acceptable = Object.freeze({ json: true, events: true })
const JSON_ONLY: Acceptable = Object.freeze({ json: true, events: false })
const EVENTS_ONLY: Acceptable = Object.freeze({ json: false, events: true })
const NEITHER: Acceptable = Object.freeze({ json: false, events: false })

const PAIR = 'application/json, text/event-stream'

/**
 * Which of JSON and event streams an Accept header allows (RFC 9110 §12.5.1). No header allows everything.
 * Weights matter only when they are zero: which form is sent is the server's choice.
 */
export function acceptable(header: string | undefined): Acceptable {
  if (header === undefined || header === PAIR || header === '*/*' || header === '') return EITHER
  if (header === 'application/json') return JSON_ONLY
  let json = false
  let events = false
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue
    if (range === '*/*') return EITHER
    if (range === 'application/json' || range === 'application/*') json = true
    if (range === 'text/event-stream' || range === 'text/*') events = true
  }
  if (json) return events ? EITHER : JSON_ONLY
  return events ? EVENTS_ONLY : NEITHER
}

/** The sentence for a client that takes neither form. */
export const NOT_ACCEPTABLE = 'Not Acceptable: send Accept: application/json, text/event-stream (or */*)'
