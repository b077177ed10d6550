// Nothing is destroyed before somebody has seen what: the person, asked through the client, or the model, which must
// call twice with a token. Tokens are bound to caller, tool, input and the item's version, and work once. A token is spent
// before the deed: one that fails, or finds the item changed, needs a new confirmation, and none is ever done twice.
import { canonicalJson, isRecord } from '../../lib/json.ts'
import { sha256Hex } from '../../lib/hashing.ts'
import type { CompiledTool } from '../compiled.ts'
import { fault, type ToolFault } from '../fault.ts'
import type { Outcome } from '../outcome.ts'
import type { Run } from '../run.ts'
import { CONFIRM_FIELD } from '../wire-schema.ts'
import type { Preview } from '../tool.ts'

const TOKEN_TTL_MS = 60_000
/** A person may need longer than a model. */
const ASK_TTL_MS = 10 * 60_000
const SECONDS = TOKEN_TTL_MS / 1000

const NONCE_CHARS = 12
const MARK_CHARS = 12
const TOKEN_CHARS_MAX = 128

type Kind = 'token' | 'ask'

/** Undefined: confirmed, go on. Otherwise the answer that this call ends with. */
export async function confirm(
  run: Run<CompiledTool>,
  input: object,
  token: string | undefined,
): Promise<Outcome | ToolFault | undefined> {
  const channel = run.call.elicit
  const canAsk = run.engine.confirm === 'elicit' && channel?.supported === true
  if (token !== undefined) return redeem(run, input, token, 'token')
  if (!canAsk) return offerToken(run, input)
  if (channel.state === undefined) return askPerson(run, input)
  const asked = readToken(run, input, channel.state, 'ask')
  if (asked === undefined) return { kind: 'invalid-state' }
  if (!accepted(channel.responses?.['confirm'])) {
    // A question that was answered with no cannot be answered with yes afterwards.
    await run.engine.spent.spend(asked.nonce, asked.expiresAt, run.engine.clock.now())
    return fault('CANCELLED', 'The person did not confirm, so nothing was changed.', {
      recovery: 'Do not try again unless the person asks for it.',
    })
  }
  return redeem(run, input, channel.state, 'ask')
}

async function offerToken(run: Run<CompiledTool>, input: object): Promise<Outcome> {
  const { text, version } = await previewOf(run, input)
  const token = mint(run, input, version, 'token')
  // No name: whoever came by the router has no tool of this name, and says the same to another one.
  const how = `Nothing has been changed yet. To go ahead, repeat this call within ${SECONDS} seconds with ${CONFIRM_FIELD} "${token}".`
  run.note = { outcome: 'confirm', code: 'CONFIRM_REQUIRED' }
  return { kind: 'reply', reply: { content: [{ type: 'text', text: `${text}\n\n${how}` }] } }
}

async function askPerson(run: Run<CompiledTool>, input: object): Promise<Outcome> {
  const { text, version } = await previewOf(run, input)
  const requestedSchema = {
    type: 'object',
    properties: {
      confirm: { type: 'boolean', title: 'Go ahead', description: 'This cannot be taken back.', default: false },
    },
    required: ['confirm'],
  }
  const params = { mode: 'form', message: text, requestedSchema }
  run.note = { outcome: 'input-required', code: 'CONFIRM_REQUIRED' }
  return {
    kind: 'input-required',
    requests: { confirm: { method: 'elicitation/create', params } },
    state: mint(run, input, version, 'ask'),
  }
}

function accepted(answer: unknown): boolean {
  if (!isRecord(answer) || answer['action'] !== 'accept') return false
  return isRecord(answer['content']) && answer['content']['confirm'] === true
}

/**
 * The state of the item is looked at again: a confirmation is for what was shown, not for what it became. It may still change
 * between this look and the deed, so the handler is given the version and compares it inside its write.
 */
async function redeem(
  run: Run<CompiledTool>,
  input: object,
  token: string,
  kind: Kind,
): Promise<ToolFault | undefined> {
  const { engine } = run
  const read = readToken(run, input, token, kind)
  if (read === undefined)
    return fault('CONFIRM_INVALID', 'The confirmation is wrong, has expired, or was for another call.')
  const { version } = await previewOf(run, input)
  if (read.mark !== versionMark(version)) return fault('CONFIRM_INVALID', 'The item has changed since the preview.')
  const fresh = await engine.spent.spend(read.nonce, read.expiresAt, engine.clock.now())
  if (!fresh) return fault('CONFIRM_INVALID', 'This confirmation was used already.')
  run.confirmedVersion = version
  return undefined
}

async function previewOf(run: Run<CompiledTool>, input: object): Promise<Preview> {
  const { declaration, publicName } = run.target
  if (declaration.preview !== undefined) return declaration.preview(input, run)
  return { text: `About to run ${publicName} with ${JSON.stringify(input)}.`, version: 0 }
}

/** Short, because a model has to copy it: expiry, nonce, mark of the version, and a code over these and the call. */
function mint(run: Run<CompiledTool>, input: object, version: string | number, kind: Kind): string {
  const { engine } = run
  const expiresAt = engine.clock.now() + (kind === 'ask' ? ASK_TTL_MS : TOKEN_TTL_MS)
  const head = [expiresAt.toString(36), engine.ids.token().slice(0, NONCE_CHARS), versionMark(version)].join('.')
  return `${head}.${engine.seal.sign(boundText(run, input, head, kind))}`
}

function readToken(run: Run<CompiledTool>, input: object, token: string, kind: Kind) {
  if (token.length > TOKEN_CHARS_MAX) return undefined
  const [expiry = '', nonce = '', mark = '', code = '', ...more] = token.split('.')
  if (more.length > 0) return undefined
  const bound = boundText(run, input, [expiry, nonce, mark].join('.'), kind)
  const expiresAt = Number.parseInt(expiry, 36)
  if (!run.engine.seal.verify(bound, code) || !(expiresAt > run.engine.clock.now())) return undefined
  return { nonce, mark, expiresAt }
}

function boundText(run: Run<CompiledTool>, input: object, head: string, kind: Kind): string {
  return canonicalJson([kind, run.caller.id, run.target.server, run.target.publicName, input, head])
}

function versionMark(version: string | number): string {
  return sha256Hex(String(version)).slice(0, MARK_CHARS)
}
