// What a question needs to be gone on with later, as text. The runtime seals it and binds it to caller and tool.
import { isRecord, objectOf } from '../lib/json.ts'
import type { JsonObject, RpcError } from '../lib/link.ts'
import type { ToolContext } from '../runtime/context.ts'
import { fault, type ToolFault } from '../runtime/fault.ts'
import { needInput, type InputNeeded, type InputRequest } from '../runtime/reply.ts'
import { abilitiesOf, abilityFor, can } from './abilities.ts'
import type { SourceSpec } from './spec.ts'

export type RoundState =
  /** The call goes on in this process. */
  | { readonly kind: 'parked'; readonly nonce: string }
  /** The call is made again as it was. */
  | { readonly kind: 'anew' }
  /** The call is made again with the answers and what the server gave to recognise it. */
  | { readonly kind: 'state'; readonly requestState: string | undefined; readonly answered: JsonObject }

export interface Asked {
  readonly requests: Readonly<Record<string, InputRequest>>
  readonly round: Extract<RoundState, { kind: 'state' }>
}

/** Sealed, it still has to fit what the runtime opens. */
const STATE_CHARS_MAX = 8_192
const ANEW = 'a'
const URL_NEEDED = -32042

export function readState(text: string): RoundState {
  if (text === ANEW) return { kind: 'anew' }
  if (text.startsWith('p')) return { kind: 'parked', nonce: text.slice(1) }
  const written: unknown = JSON.parse(text.slice(1))
  const { s, r } = objectOf(written)
  return { kind: 'state', requestState: typeof s === 'string' ? s : undefined, answered: objectOf(r) }
}

/** What a 2026 server asks of the caller. Its roots are the operator's word, so that they are answered here. */
export function askedIn({ roots }: SourceSpec, { inputRequests, requestState }: JsonObject): Asked {
  const requests: Record<string, InputRequest> = {}
  const answered: Record<string, unknown> = {}
  for (const [name, request] of Object.entries(objectOf(inputRequests))) {
    if (!isRecord(request) || typeof request['method'] !== 'string') continue
    if (request['method'] === 'roots/list') answered[name] = { roots: (roots ?? []).map((uri) => ({ uri })) }
    else requests[name] = { method: request['method'], params: objectOf(request['params']) }
  }
  const state = typeof requestState === 'string' ? requestState : undefined
  return { requests, round: { kind: 'state', requestState: state, answered } }
}

/** The caller's turn. Never asks what was not said to be possible. */
export function askedOf({ title }: SourceSpec, { requests, round }: Asked, ctx: ToolContext): InputNeeded | ToolFault {
  const { requestState: s, answered: r } = round
  const state = `s${JSON.stringify({ s, r })}`
  const abilities = abilitiesOf(ctx.caller)
  const cannot = Object.values(requests).some(({ method, params }) => {
    const needed = abilityFor(method, params)
    return needed === undefined || !can(abilities, needed)
  })
  if (cannot) return fault('ELICITATION_UNSUPPORTED', `${title} asked for something that this client cannot answer.`)
  return state.length > STATE_CHARS_MAX
    ? fault('UNAVAILABLE', `${title} asked with a state of more than ${STATE_CHARS_MAX} characters.`)
    : needInput(requests, state)
}

/** A 2025 server refuses until a page was visited: the caller is shown it, then the call is made again. */
export function askedAnew({ code, data }: RpcError, ctx: ToolContext): InputNeeded | undefined {
  const { elicitations } = objectOf(data)
  if (code !== URL_NEEDED || !Array.isArray(elicitations) || !can(abilitiesOf(ctx.caller), 'elicitation.url'))
    return undefined
  const requests = elicitations
    .filter(isRecord)
    .filter((params) => abilityFor('elicitation/create', { ...params, mode: 'url' }) !== undefined)
    .map((params, index) => [`u${index + 1}`, { method: 'elicitation/create', params }] as const)
  return requests.length === 0 ? undefined : needInput(Object.fromEntries(requests), ANEW)
}
