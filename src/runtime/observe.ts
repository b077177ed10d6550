// What can be watched: one composable list of observers (audit, metrics, debug, traces, live inspector).
// Events carry names, sizes and times, never arguments or results. With no observer nothing is read or allocated.
import type { Caller, TraceContext } from './context.ts'
import type { ToolCode } from './codes.ts'
import type { Effect } from './tool.ts'

export type StepName = 'permit' | 'check' | 'confirm' | 'guard' | 'handle' | 'present' | 'fit'

/** What was asked for. Resources and prompts have no steps and no guards. */
export type SubjectKind = 'tool' | 'resource' | 'prompt'

export interface StartEvent {
  /** Unique inside this process. */
  readonly callId: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly caller: Caller
  /** Digest of the MCP session, where there is one. */
  readonly session: string | undefined
  readonly kind: SubjectKind
  readonly server: string
  /** The server that the call was made to, where that one only shows the tool (the router, `core`). */
  readonly via: string | undefined
  /**
   * As declared: the bare name of a tool or a prompt, the URI of a resource or its template, so never an argument. What
   * nobody declares is named as the caller did, cut to 128 characters.
   */
  readonly tool: string
  readonly effect: Effect | undefined
  readonly middlewares: number
  readonly trace: TraceContext | undefined
}
export interface StepEvent {
  readonly callId: number
  readonly server: string
  readonly tool: string
  readonly step: StepName
  readonly ok: boolean
  readonly durationMs: number
}
export type CallResult =
  | 'ok'
  | 'fault'
  | 'confirm'
  | 'input-required'
  | 'unknown-tool'
  | 'unknown-resource'
  | 'unknown-prompt'
export interface EndEvent extends StartEvent {
  readonly outcome: CallResult
  readonly code: ToolCode | undefined
  /** `system` when the gateway is at fault, `caller` when the call was wrong. */
  readonly blame: 'caller' | 'system' | undefined
  readonly isError: boolean
  /** Content of the reply as UTF-8, without JSON framing; what is said of a tool that does not exist. */
  readonly bytes: number
  readonly durationMs: number
  readonly incident: string | undefined
  readonly attributes: Readonly<Record<string, string | number | boolean>> | undefined
}
/** A call whose answer was already given came to an end after all. */
export interface LateEvent {
  readonly kind: SubjectKind
  readonly server: string
  readonly tool: string
  readonly ok: boolean
}

/** A `tools/list` was answered. */
export interface ListEvent {
  /** Epoch milliseconds. */
  readonly at: number
  readonly caller: Caller
  /** The server that was asked. */
  readonly mount: string
  /** UTF-8 of the JSON array of tools that went out. */
  readonly bytes: number
  /** The same for every tool that this caller could use, listed by itself. That is `bytes` unless the server stands for others. */
  readonly directBytes: number
}

export interface PipelineObserver {
  /** Unique in the list. */
  readonly id: string
  onStart?(event: StartEvent): void
  onStep?(event: StepEvent): void
  /** Exactly once per call. */
  onEnd?(event: EndEvent): void
  onLate?(event: LateEvent): void
  onList?(event: ListEvent): void
}
