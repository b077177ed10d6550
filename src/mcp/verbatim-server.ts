// The SDK's server, but for one thing: it rebuilds every result of `tools/call` by its own schema, which drops what it does not
// know and refuses what it knows otherwise. A result that others made goes out as it came.
import { Server } from '@modelcontextprotocol/server'
import type { CallToolResult, JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server'

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>

const STAND_IN: CallToolResult = Object.freeze({ content: [] })

/** The hook that the SDK has for classes made of its server. */
const WRAP = '_wrapHandler'

export class VerbatimServer extends Server {
  readonly #results = new WeakMap<object, CallToolResult>()

  /** Lets the result of a call pass unseen. @returns what the handler of this very signal's call has to return */
  pass(signal: AbortSignal, result: CallToolResult): CallToolResult {
    this.#results.set(signal, result)
    return STAND_IN
  }

  protected override [WRAP](method: string, handler: Handler): Handler {
    const wrapped = super[WRAP](method, handler)
    if (method !== 'tools/call') return wrapped
    return async (request, ctx) => {
      const result = await wrapped(request, ctx)
      return this.#results.get(ctx.mcpReq.signal) ?? result
    }
  }
}
