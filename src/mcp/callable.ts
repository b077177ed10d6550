// Which calls can be answered, or at least begun, without the SDK.
import { isRecord } from '../lib/json.ts'
import type { CompiledGroup, CompiledServer, CompiledTool } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { mirroredParameters } from '../lib/mirrored-parameters.ts'
import type { WireTool } from '../runtime/wire-tool.ts'
import { CALL_KEYS, hasOnly, type Json } from './plain-request.ts'

/** What a client can do with an answer that is more than an answer. */
export interface Hearing {
  readonly caller: Caller
  /** Whether forms can be put to the person behind it. */
  readonly elicits: boolean
  /** Whether it wants to hear how far a call is. */
  readonly listens: boolean
}

export class Callable {
  readonly #served: CompiledServer
  readonly #plainTools = new WeakMap<CompiledTool, boolean>()
  readonly #plainLists = new WeakMap<readonly WireTool[], boolean>()

  constructor(served: CompiledServer) {
    this.#served = served
  }

  /** Whether the older era can read the list as it is: every output that is promised has to be an object there. */
  isPlainList(caller: Caller): boolean {
    if (!this.#served.hasSources) return true
    const tools = this.#served.listTools(caller)
    let isPlain = this.#plainLists.get(tools)
    if (isPlain === undefined) {
      isPlain = tools.every(({ outputSchema }) => hasObjectRoot(outputSchema))
      this.#plainLists.set(tools, isPlain)
    }
    return isPlain
  }

  /** Whether nothing about the tool or about its parameters needs the SDK from the start. */
  allows(params: Json, hearing: Hearing): boolean {
    const { name, arguments: args } = params
    if (typeof name !== 'string' || (args !== undefined && !isRecord(args)) || !hasOnly(params, CALL_KEYS)) return false
    const group = this.#served.group(name)
    if (group !== undefined) return this.#allowsIn(group, args, hearing)
    const tool = this.#served.find(name, hearing.caller)
    return tool !== undefined && this.#staysSilent(tool, hearing) && this.#isPlain(tool)
  }

  /** A group fails in words of its own, which need no SDK either. */
  #allowsIn(group: CompiledGroup, args: unknown, hearing: Hearing): boolean {
    const tool = group.find(args, hearing.caller)
    return tool === undefined ? !hearing.listens : this.#staysSilent(tool, hearing)
  }

  /**
   * A tool that asks or talks needs a client that listens; one that only wants a confirmation does without. One of somebody
   * else may do either and hardly ever does: it is begun here, and goes on there once it asks or talks.
   */
  #staysSilent(tool: CompiledTool, { elicits, listens }: Hearing): boolean {
    if (tool.isForeign) return true
    return !listens && (!tool.canAsk || (!elicits && tool.declaration.asks !== true))
  }

  #isPlain(tool: CompiledTool): boolean {
    let isPlainTool = this.#plainTools.get(tool)
    if (isPlainTool === undefined) {
      const { inputSchema, outputSchema } = tool.definition
      isPlainTool = hasObjectRoot(outputSchema) && mirroredParameters(inputSchema).length === 0
      this.#plainTools.set(tool, isPlainTool)
    }
    return isPlainTool
  }
}

const hasObjectRoot = (schema: WireTool['outputSchema']): boolean => schema === undefined || schema['type'] === 'object'
