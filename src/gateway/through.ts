// Calls of a process without a network that go through the gateway of its data folder, so that each external server runs once.
// What there is stands in the database that both have; only what is done goes over the connection.
import { isRecord } from '../lib/json.ts'
import { LinkFailure, LinkTimeout, RpcError, type JsonObject, type Link, type RequestOptions } from '../lib/link.ts'
import { RPC_CODE } from '../lib/mcp-names.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { Log, ToolContext } from '../runtime/context.ts'
import { fault, type ToolFault } from '../runtime/fault.ts'
import { needInput, InputNeeded, type InputRequest, type Reply } from '../runtime/reply.ts'
import type { ContentSource, ToolSource, WireObject } from '../runtime/source.ts'
import { abilitiesOf, capabilitiesOf } from '../upstream/abilities.ts'
import { argumentsOf, metaFor } from '../upstream/bridge.ts'
import { livingGateway, type Presence } from '../upstream/presence.ts'
import { bareResult, bareReply } from '../upstream/results.ts'
import type { Custody } from './custody.ts'
import { SharedWatches } from './shared-watches.ts'

/** The mount that shows all of them. */
const PATH = '/tools/mcp'
const START_MS = 5_000
const WATCH_MS = 30_000

interface Made {
  readonly key: string
  readonly link: Promise<Link>
}

/** Never rejects: what never came to be is closed. */
async function end(made: Made | undefined): Promise<void> {
  if (made === undefined) return
  const [settled] = await Promise.allSettled([made.link])
  if (settled.status === 'fulfilled') await settled.value.close()
}

/** The connection to the gateway, made when it is first needed. */
export class Through {
  readonly #dataDir: string
  readonly #log: Log
  readonly #onUpdate: (uri: string) => void
  #connections = 0
  #made: Made | undefined

  /** @param onUpdate a resource that is watched has changed, by its public address */
  constructor(dataDir: string, log: Log, onUpdate: (uri: string) => void) {
    this.#dataDir = dataDir
    this.#log = log
    this.#onUpdate = onUpdate
  }

  /** How many have ended: what was asked for over one has to be asked for again. */
  get connections(): number {
    return this.#connections
  }

  /** The gateway that lives at this moment: some tens of microseconds, so that no call goes past one that has just come. */
  get gateway(): Presence | undefined {
    return livingGateway(this.#dataDir)
  }

  /** One for all who ask. @throws LinkFailure */
  link(gateway: Presence): Promise<Link> {
    const known = this.#made
    if (known?.key === gateway.key) return known.link
    const made = { key: gateway.key, link: this.#open(gateway) }
    this.#made = made
    const forget = (): void => {
      this.#connections++
      if (this.#made === made) this.#made = undefined
    }
    made.link.then(({ closed }) => closed.then(forget), forget)
    void end(known)
    return made.link
  }

  async #open({ address, key }: Presence): Promise<Link> {
    const { openRemoteLink } = await import('../mcp/outbound/remote-link.ts')
    return await openRemoteLink(
      { kind: 'http', url: address + PATH, headers: { authorization: `Bearer ${key}` } },
      {
        handlers: {
          onNotification: (method, { uri }) => {
            if (method === 'notifications/resources/updated' && typeof uri === 'string') this.#onUpdate(uri)
          },
          onRequest: () => Promise.reject(new RpcError({ code: RPC_CODE.methodNotFound, message: 'Method not found' })),
        },
        capabilities: {},
        startTimeoutMs: START_MS,
        note: (level, message, detail = {}) => this.#log[level](detail, message),
      },
    )
  }

  /** Asks to be told of a resource. Never throws. @returns ends that */
  watch(gateway: Presence, uri: string): () => void {
    const send = (method: string): void => {
      this.link(gateway)
        .then((link) => link.request(method, { uri }, { timeoutMs: WATCH_MS }))
        .catch((error: unknown) => this.#log.debug({ err: error }, `${method} failed at the gateway`))
    }
    send('resources/subscribe')
    return () => {
      if (this.#made?.key === gateway.key) send('resources/unsubscribe')
    }
  }

  async close(): Promise<void> {
    const made = this.#made
    this.#made = undefined
    await end(made)
  }

  /** One request as the caller meant it, under the names that both processes know. */
  async carry<Answer>(
    gateway: Presence,
    order: { readonly method: string; readonly params: JsonObject; finish(result: JsonObject): Answer },
    ctx: ToolContext,
  ): Promise<Answer | InputNeeded | ToolFault> {
    const { state, responses } = ctx.elicit
    const meta = metaFor(ctx)
    const params = {
      ...order.params,
      ...(meta === undefined ? {} : { _meta: meta }),
      ...(state === undefined ? {} : { requestState: state, inputResponses: responses ?? {} }),
    }
    try {
      const result = await (await this.link(gateway)).request(order.method, params, optionsFor(ctx))
      return result['resultType'] === 'input_required' ? asked(result) : order.finish(result)
    } catch (error) {
      if (ctx.signal.aborted) return fault('CANCELLED', 'The caller cancelled the call.')
      if (error instanceof RpcError) return fault('UNAVAILABLE', `The gateway answered: ${error.message}`)
      if (error instanceof LinkFailure || error instanceof LinkTimeout)
        return fault('UNAVAILABLE', `The gateway cannot be reached: ${error.message}`)
      throw error
    }
  }
}

function optionsFor(ctx: ToolContext): RequestOptions {
  return {
    signal: ctx.signal,
    // How long a call may be silent is the gateway's to say.
    timeoutMs: HOUR_MS,
    capabilities: capabilitiesOf(abilitiesOf(ctx.caller), false),
    onProgress: ({ progress, total, message }) => {
      if (typeof progress !== 'number') return
      const words = typeof message === 'string' ? message : undefined
      ctx.progress(progress, typeof total === 'number' ? total : undefined, words)
    },
  }
}

function asked({ inputRequests, requestState }: JsonObject): InputNeeded {
  const requests: Record<string, InputRequest> = {}
  for (const [key, request] of Object.entries(isRecord(inputRequests) ? inputRequests : {}))
    if (isRecord(request) && typeof request['method'] === 'string')
      requests[key] = { method: request['method'], params: isRecord(request['params']) ? request['params'] : {} }
  return needInput(requests, typeof requestState === 'string' ? requestState : '')
}

interface Ways {
  readonly through: Through
  readonly custody: Custody
}

/** The same lists as `own`; what is done goes through the gateway while there is one. */
export function sharedSource(own: ToolSource, ways: Ways): ToolSource {
  const content = own.content === undefined ? {} : { content: sharedContent(own.content, ways) }
  return Object.freeze({
    ...own,
    get epoch() {
      return own.epoch
    },
    ...content,
    call: (name: string, params: unknown, ctx: ToolContext) =>
      done<Reply>(ways, ctx, {
        own: () => own.call(name, params, ctx),
        order: {
          method: 'tools/call',
          params: { name, arguments: argumentsOf(params) },
          finish: bareReply,
        },
      }),
  })
}

function sharedContent(own: ContentSource, ways: Ways): ContentSource {
  const finish = bareResult
  const watches = new SharedWatches((uri) => own.watch(uri), ways)
  return Object.freeze({
    ...own,
    watch: (uri: string) => watches.add(uri),
    async read(uri: string, ctx: ToolContext) {
      const answer = await done<WireObject | undefined>(ways, ctx, {
        own: () => own.read(uri, ctx),
        order: { method: 'resources/read', params: { uri }, finish },
      })
      return answer instanceof InputNeeded ? unasked() : answer
    },
    getPrompt: (name: string, args: Readonly<Record<string, string>>, ctx: ToolContext) =>
      done<WireObject | undefined>(ways, ctx, {
        own: () => own.getPrompt(name, args, ctx),
        order: { method: 'prompts/get', params: { name, arguments: args }, finish },
      }),
    async complete(...[ref, argument, context, ctx]: Parameters<ContentSource['complete']>) {
      const answer = await done<WireObject>(ways, ctx, {
        own: () => own.complete(ref, argument, context, ctx),
        order: {
          method: 'completion/complete',
          params: { ref, argument, ...(context === undefined ? {} : { context }) },
          finish,
        },
      })
      return answer instanceof InputNeeded ? unasked() : answer
    },
  })
}

const unasked = (): ToolFault =>
  fault('ELICITATION_UNSUPPORTED', 'The server wants to ask something before it answers.')

interface Both<Answer> {
  own(): Promise<Answer | InputNeeded | ToolFault>
  readonly order: { readonly method: string; readonly params: JsonObject; finish(result: JsonObject): Answer }
}

async function done<Answer>(
  { custody, through }: Ways,
  ctx: ToolContext,
  both: Both<Answer>,
): Promise<Answer | InputNeeded | ToolFault> {
  const { gateway } = through
  if (gateway !== undefined) {
    await custody.yield()
    return await through.carry(gateway, both.order, ctx)
  }
  return (await custody.take()) ? await both.own() : heldElsewhere()
}

const heldElsewhere = (): ToolFault =>
  fault('UNAVAILABLE', 'Another process on this data folder looks after the external tools.', {
    recovery: 'Tell the user to start the gateway (crow serve): then every program can use them at once.',
  })
