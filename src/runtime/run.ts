// One call on its way through the steps. It is the handler's context as well, so a call allocates one object for both.
import type { Database } from '../db/client.ts'
import { MCP_META } from '../lib/mcp-names.ts'
import type { CompiledGroup } from './compiled.ts'
import { MESSAGE_LEVELS } from './context.ts'
import type {
  Caller,
  Clock,
  ContextParts,
  Derived,
  ElicitChannel,
  Ids,
  Log,
  MessageLevel,
  Ports,
  ToolContext,
  TraceContext,
} from './context.ts'
import type { Engine } from './engine.ts'
import { fault } from './fault.ts'
import type { Waiter } from './guards/wait-queue.ts'
import type { EndNote, Probe } from './hooks.ts'
import type { Call } from './outcome.ts'
import { Pass, type Passable } from './pass.ts'
import { readTraceContext } from './trace-context.ts'

const noElicit: ElicitChannel = Object.freeze({ supported: false })

/** What a run is about; a tool, or a resource or prompt that borrows the context. */
export interface Subject extends Passable {
  readonly server: string
  readonly publicName: string
}

export class Run<Target extends Subject = Subject> implements ToolContext {
  readonly engine: Engine
  readonly target: Target
  readonly call: Call
  readonly pass: Pass
  readonly probe: Probe | undefined
  /** The tool it came through, when that stands for several. */
  readonly via: CompiledGroup | undefined
  /** How it ended, for the probe; written by the step that ends it. */
  note: EndNote | undefined
  /** Set when something unexpected was logged. */
  incident: string | undefined
  /** From the presenter, for the end event. */
  attributes: Readonly<Record<string, string | number | boolean>> | undefined
  /** Set once the call has become asynchronous. */
  flight: { armDeadline(): void } | undefined
  parts: ContextParts | undefined
  /** Set while the run stands in a queue. */
  waiter: Waiter | undefined
  /** Whether the handler was reached. */
  started = false
  openedState: string | undefined
  /** Set by the step that confirms. */
  confirmedVersion: string | number | undefined
  confirmedInPerson = false
  rounds = 0
  #controller: AbortController | undefined
  #goneReason: unknown
  #gone = false
  #over = false
  #callerSignal: AbortSignal | undefined
  #onCallerGone: (() => void) | undefined
  #derived: Derived | undefined
  #ports: Ports | undefined

  constructor(engine: Engine, target: Target, call: Call, probe: Probe | undefined, via?: CompiledGroup) {
    this.engine = engine
    this.via = via
    this.target = target
    this.call = call
    this.probe = probe
    this.pass = new Pass(target)
  }

  get caller(): Caller {
    return this.call.caller
  }
  get clock(): Clock {
    return this.engine.clock
  }
  get ids(): Ids {
    return this.engine.ids
  }
  get log(): Log {
    return this.engine.log
  }
  get trace(): TraceContext | undefined {
    return readTraceContext(this.call.meta)
  }
  get logLevel(): MessageLevel | undefined {
    const level = this.call.meta?.[MCP_META.logLevel]
    return MESSAGE_LEVELS.find((known) => known === level)
  }
  get db(): Database {
    const db = this.parts?.db
    if (db === undefined) {
      throw fault('INTERNAL_ERROR', 'ctx.db is not there: give `compileCatalog` the option `context` with a `db`.', {
        recovery: 'Tell the user that the gateway is set up without a database.',
      })
    }
    return db
  }
  get ports(): Ports {
    return (this.#ports ??= assemblePorts(this.engine, this.parts?.ports))
  }
  get derived(): Derived {
    return (this.#derived ??= freshDerived(this.parts?.derived))
  }
  get elicit(): ElicitChannel {
    const channel = this.call.elicit
    if (channel === undefined) return noElicit
    const { state: _sealed, ...open } = channel
    return this.openedState === undefined ? open : { ...open, state: this.openedState }
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#gone) this.#controller.abort(this.#goneReason)
      else if (this.#onCallerGone === undefined) this.watchCaller(() => undefined)
    }
    return this.#controller.signal
  }

  progress(done: number, total?: number, message?: string): void {
    if (!this.#gone && !this.#over) this.call.progress?.(done, total, message)
  }
  notify(level: MessageLevel, data: unknown, logger?: string): void {
    if (!this.#gone && !this.#over) this.call.notify?.(level, data, logger)
  }
  detach(): void {
    this.call.detach?.()
  }

  /** Whether the answer no longer matters to anyone. */
  get isGone(): boolean {
    return this.#gone
  }

  /** Whether the caller had gone before the call began; looks only at a signal that exists already. */
  get cameGone(): boolean {
    const { signal } = this.call
    return typeof signal === 'object' && signal.aborted
  }

  /** Listens to the caller's signal from now on. Repeated calls replace the listener, never add one. */
  watchCaller(onGone: () => void): void {
    const { signal } = this.call
    if (signal === undefined) return
    this.#callerSignal ??= typeof signal === 'function' ? signal() : signal
    const source = this.#callerSignal
    this.unwatchCaller()
    this.#onCallerGone = () => {
      this.abort(source.reason)
      onGone()
    }
    if (source.aborted) this.#onCallerGone()
    else source.addEventListener('abort', this.#onCallerGone, { once: true })
  }

  unwatchCaller(): void {
    if (this.#onCallerGone !== undefined) this.#callerSignal?.removeEventListener('abort', this.#onCallerGone)
    this.#onCallerGone = undefined
  }

  /** The handler has ended: guards go back, and what it left running cannot reach the client any more. */
  finish(): void {
    this.#over = true
    this.pass.release()
    this.unwatchCaller()
  }

  abort(reason: unknown): void {
    if (this.#gone) return
    this.#gone = true
    this.#goneReason = reason
    this.#controller?.abort(reason)
    this.waiter?.giveUp()
  }
}

/** Rooms add their ports to the type; whether one is really there is up to the context factory. */
function assemblePorts(engine: Engine, given: Partial<Ports> | undefined): Ports {
  return Object.assign(Object.create(null), { searchables: engine.searchables, bus: engine.bus }, given)
}

function freshDerived(given: Readonly<Record<string, unknown>> | undefined): Derived {
  const derived: Derived = Object.create(null)
  for (const [key, value] of Object.entries(given ?? {})) {
    if (key !== '__proto__' && key !== 'constructor' && key !== 'prototype') derived[key] = value
  }
  return derived
}
