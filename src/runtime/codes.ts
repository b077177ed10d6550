// The closed set of tool error codes, what each means to a dialect, and what a caller should do about it.
import type { ErrorKind } from '../errors.ts'

interface CodeFacts {
  readonly kind: ErrorKind
  /** Advice when the thrower gave none. Never advises repeating the same call unchanged, except where waiting helps. */
  readonly recovery: string
}

const invalid = (recovery: string): CodeFacts => ({ kind: 'invalid', recovery })
const unavailable = (recovery: string): CodeFacts => ({ kind: 'unavailable', recovery })

const facts = {
  MISSING_DISCRIMINATOR: invalid('Name one of the available actions in `action`.'),
  INVALID_DISCRIMINATOR: invalid('Give `action` as a string, one of the available actions.'),
  UNKNOWN_ACTION: { kind: 'missing', recovery: 'Use one of the available actions.' },
  UNKNOWN_TOOL: { kind: 'missing', recovery: 'List the tools and use one of their names.' },
  MISSING_REQUIRED_FIELD: invalid('Add the missing field and call again.'),
  VALIDATION_ERROR: invalid('Correct the named fields and call again.'),
  INPUT_REJECTED: invalid('Change the input as the message says.'),
  NOT_FOUND: { kind: 'missing', recovery: 'Look the item up first and use an id that exists.' },
  CONFLICT: { kind: 'conflict', recovery: 'Read the current state, then decide again.' },
  UNAUTHORIZED: { kind: 'unauthenticated', recovery: 'Sign in, or use a valid token.' },
  AUTH_REQUIRED: { kind: 'unauthenticated', recovery: 'Sign in, or use a valid token.' },
  FORBIDDEN: { kind: 'forbidden', recovery: 'Ask the owner for access, or use a tool you may use.' },
  TIMEOUT: unavailable('Ask for less at once, or check whether the work was done before calling again.'),
  RATE_LIMITED: { kind: 'limited', recovery: 'Wait for the stated time, then call again.' },
  SERVER_BUSY: unavailable('Wait for the stated time, then call again.'),
  UNAVAILABLE: unavailable('Wait a little and call again; if it stays so, tell the user.'),
  CANCELLED: { kind: 'conflict', recovery: 'Nothing more to do, unless the user asks for it again.' },
  DEPRECATED: invalid('Use the replacement that the message names.'),
  INTERNAL_ERROR: {
    kind: 'internal',
    recovery: 'Do not repeat the same call. Try another way, or give the user the incident id.',
  },
  CONFIRM_REQUIRED: invalid('Show the preview to the user and call again with the confirm_token it names.'),
  CONFIRM_INVALID: invalid('Call again without confirm_token to get a fresh preview and token.'),
  ELICITATION_UNSUPPORTED: invalid('Ask the user in the conversation and give the answer as a parameter.'),
  ELICITATION_ROUNDS_EXCEEDED: invalid('Stop asking; tell the user what is missing.'),
} as const satisfies Record<string, CodeFacts>

export type ToolCode = keyof typeof facts

/** Every code, for docs and for tests that compare both ways. */
export const toolCodes: readonly ToolCode[] = Object.freeze(Object.keys(facts).filter((key) => isToolCode(key)))

export function isToolCode(code: string): code is ToolCode {
  return Object.hasOwn(facts, code)
}

const misunderstandings: ReadonlySet<string> = new Set<ToolCode>([
  'MISSING_DISCRIMINATOR',
  'INVALID_DISCRIMINATOR',
  'UNKNOWN_ACTION',
  'MISSING_REQUIRED_FIELD',
  'VALIDATION_ERROR',
])

/** Whether the call was worded wrongly, so that another wording is the remedy. */
export const isMisunderstanding = (code: ToolCode): boolean => misunderstandings.has(code)

/** The error kind and the default advice of a code. */
export function codeFacts(code: ToolCode): CodeFacts {
  return facts[code]
}
