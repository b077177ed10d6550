// One connection and the calls on it. What a server says by itself (log lines, questions) goes to the caller whose calls it is
// carrying out, and to nobody where that cannot be told.
import type { MessageLevel, ToolContext } from '../runtime/context.ts'
import { abilityFor, can, familyOf, type Abilities } from './abilities.ts'
import { RPC_CODE } from '../lib/mcp-names.ts'
import { ENTRY_DEPTH_MAX, isShallow } from './depth.ts'
import { RpcError, type JsonObject, type Link, type LinkHandlers } from '../lib/link.ts'
import type { SourceSpec } from './spec.ts'
import type { Supervisor } from './supervisor.ts'

/** A call on its way. */
export interface OpenCall {
  readonly ctx: Pick<ToolContext, 'caller' | 'notify'>
  /** There where the caller can be asked. */
  readonly questions?: Questions
}

export interface Questions {
  readonly waiting: number
  /** Resolves with the answer of the caller. @throws RpcError where there will be none */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
}

export interface LaneOptions {
  readonly spec: SourceSpec
  /** What was declared for it. */
  readonly abilities: Abilities
  /** The one client it is for; '' for all. */
  readonly client: string
  /** Notifications that are about the source and not about a call. */
  onNotification(lane: Lane, method: string, params: JsonObject): void
  makeSupervisor(lane: Lane, handlers: LinkHandlers): Supervisor
}

/** What was asked is not possible now: the code of a person who says no. */
const REFUSED = -1

const LEVELS: ReadonlySet<string> = new Set<MessageLevel>([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
])
const isLevel = (level: unknown): level is MessageLevel => typeof level === 'string' && LEVELS.has(level)

export class Lane {
  readonly abilities: Abilities
  readonly client: string
  readonly supervisor: Supervisor
  readonly calls = new Set<OpenCall>()
  /** Whose calls it carries, while it carries any; only where questions can come. */
  owner: string | undefined
  lastOwner: string | undefined
  readonly #options: LaneOptions

  constructor(options: LaneOptions) {
    this.#options = options
    this.abilities = options.abilities
    this.client = options.client
    this.supervisor = options.makeSupervisor(this, {
      onNotification: (method, params) => this.#heard(method, params),
      onRequest: (method, params, signal) => this.#asked(method, params, signal),
    })
  }

  /** There while it can be used at once. */
  get link(): Link | undefined {
    return this.supervisor.link
  }
  /** A server may ask on it, so that it carries one caller's calls at a time. */
  get asks(): boolean {
    return this.abilities !== ''
  }

  #heard(method: string, params: JsonObject): void {
    if (method !== 'notifications/message') return this.#options.onNotification(this, method, params)
    const { level, data, logger } = params
    const ctx = this.#soleContext()
    if (ctx === undefined) this.#options.onNotification(this, method, params)
    else ctx.notify(isLevel(level) ? level : 'info', data, typeof logger === 'string' ? logger : undefined)
  }

  /** Of the one caller whose calls are under way. */
  #soleContext(): OpenCall['ctx'] | undefined {
    const [first, ...others] = this.calls
    return others.every(({ ctx }) => ctx.caller.id === first?.ctx.caller.id) ? first?.ctx : undefined
  }

  async #asked(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { roots } = this.#options.spec
    if (method === 'roots/list' && roots !== undefined) return { roots: roots.map((uri) => ({ uri })) }
    const refused = this.#refusal(method, params)
    if (refused !== undefined) throw refused
    if (!isShallow(params, ENTRY_DEPTH_MAX))
      throw new RpcError({ code: RPC_CODE.invalidParams, message: 'The question is nested too deep.' })
    const questions = this.#carrier()
    if (questions === undefined)
      throw new RpcError({ code: REFUSED, message: 'No call is under way whose caller could be asked.' })
    return questions.ask(method, params, signal)
  }

  #refusal(method: string, params: JsonObject): RpcError | undefined {
    const needed = abilityFor(method, params)
    if (needed !== undefined && can(this.abilities, needed)) return undefined
    const code =
      needed !== undefined && can(this.abilities, familyOf(needed)) ? RPC_CODE.invalidParams : RPC_CODE.methodNotFound
    return new RpcError({ code, message: `${needed ?? method} was not declared.` })
  }

  /**
   * The protocol does not say which call a question belongs to, but all of them are one caller's: the oldest that asks nothing
   * yet carries it. The answer goes back to the question, so the choice only decides which call waits.
   */
  #carrier(): Questions | undefined {
    let oldest: Questions | undefined
    for (const { questions } of this.calls) {
      if (questions?.waiting === 0) return questions
      oldest ??= questions
    }
    return oldest
  }
}
