// The resources that one client wants to hear of. Those of a source are watched there for as long as somebody does here.
import { isRecord } from '../lib/json.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import type { ToolFault } from '../runtime/fault.ts'
import { foreignHold, permitHeld } from '../runtime/foreign-reading.ts'
import { permitServer } from '../runtime/steps/permit.ts'
import { watchedUris, watchProblem } from './subscriptions.ts'

/** Why this caller may not watch a resource, if they may not. */
export function watchRefusal(served: CompiledServer, uri: string, caller: Caller): ToolFault | undefined {
  const refused = permitServer(served, caller)
  if (refused !== undefined || served.contents.length === 0) return refused
  const hold = foreignHold(served, caller, 'resource', uri)
  return hold === undefined ? undefined : permitHeld(hold, caller)
}

export class Watches {
  readonly #served: CompiledServer
  readonly #ends = new Map<string, () => void>()

  constructor(served: CompiledServer) {
    this.#served = served
  }

  get size(): number {
    return this.#ends.size
  }

  has(uri: string): boolean {
    return this.#ends.has(uri)
  }

  add(uri: string): void {
    if (this.#ends.has(uri)) return
    const content = this.#served.contents.find((each) => each.guardOf('resource', uri) !== undefined)
    this.#ends.set(uri, content?.watch(uri) ?? nothing)
  }

  delete(uri: string): void {
    this.#ends.get(uri)?.()
    this.#ends.delete(uri)
  }

  /** Ends all of them. */
  clear(): void {
    for (const uri of this.#ends.keys()) this.delete(uri)
  }
}

/** The same for a client of the newer era whose requests we only see pass: it listens by one request and ends it by another. */
export class ListenedFor {
  readonly #served: CompiledServer
  readonly #caller: Caller
  readonly #streams = new Map<unknown, Watches>()

  constructor(served: CompiledServer, caller: Caller) {
    this.#served = served
    this.#caller = caller
  }

  note(message: object): void {
    if (this.#served.contents.length === 0 || !isRecord(message)) return
    if (message['method'] === 'notifications/cancelled') this.#cancel(message['params'])
    else if (message['method'] === 'subscriptions/listen') this.#listen(message)
  }

  end(): void {
    for (const id of this.#streams.keys()) this.#forget(id)
  }

  #listen(message: Readonly<Record<string, unknown>>): void {
    const uris = watchedUris(message)
    const watched = [...this.#streams.values()].reduce((sum, { size }) => sum + size, 0)
    if (watchProblem(uris, watched) !== undefined) return
    const watches = new Watches(this.#served)
    for (const uri of uris)
      if (typeof uri === 'string' && watchRefusal(this.#served, uri, this.#caller) === undefined) watches.add(uri)
    this.#forget(message['id'])
    if (watches.size > 0) this.#streams.set(message['id'], watches)
  }

  #cancel(params: unknown): void {
    if (isRecord(params)) this.#forget(params['requestId'])
  }

  #forget(id: unknown): void {
    this.#streams.get(id)?.clear()
    this.#streams.delete(id)
  }
}

function nothing(): void {
  return undefined
}
