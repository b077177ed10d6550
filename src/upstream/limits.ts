// Every bound of what stands between the catalog and external servers.

export interface HubLimits {
  /** From the first byte of a start to a finished handshake. */
  readonly startTimeoutMs: number
  /** Background starts at one time, so that a start of the gateway does not flood the machine. */
  readonly startsMax: number
  /** A background start that takes longer goes on, but lets the next one begin. */
  readonly slowStartMs: number
  /** Calls that wait for one connection to be there. */
  readonly waitersMax: number
  /** How long a call waits for a connection. */
  readonly waitMs: number
  /** An end after so long without a fault is followed by a start at once, and forgives earlier failures. */
  readonly healthyMs: number
  /** The first pause between tries; it doubles, and a random part of it is taken (full jitter). */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Failures in a row after which calls fail at once. */
  readonly failuresMax: number
  /** How long they do before one try is made; it doubles with every try that fails. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
  /** Connections of one source: one for each kind of caller, and for each caller that may be asked something. */
  readonly connectionsMax: number
  /** Calls under way when a source is taken away or changed may go on for so long. */
  readonly drainMs: number
  /** Calls that wait for an answer of their caller, of all callers and of one. */
  readonly parkedMax: number
  readonly parkedPerCallerMax: number
  readonly parkedMs: number
  /** The longest a call may take, whatever progress it reports. */
  readonly callTotalMs: number
  /** Pages, entries and bytes of one list. */
  readonly pagesMax: number
  readonly entriesMax: number
  readonly listBytesMax: number
  readonly listTimeoutMs: number
  /** A server that says again and again that its lists changed is asked at most so often. */
  readonly refetchMs: number
  /** Lines of the log of each source that are kept. */
  readonly logLines: number
}

export const hubLimits: HubLimits = Object.freeze({
  startTimeoutMs: 30_000,
  startsMax: 2,
  slowStartMs: 2_500,
  waitersMax: 256,
  waitMs: 30_000,
  healthyMs: 10_000,
  backoffMs: 500,
  backoffMaxMs: 60_000,
  failuresMax: 5,
  pauseMs: 30_000,
  pauseMaxMs: 600_000,
  connectionsMax: 16,
  drainMs: 5_000,
  parkedMax: 64,
  parkedPerCallerMax: 8,
  parkedMs: 600_000,
  callTotalMs: 3_600_000,
  pagesMax: 200,
  entriesMax: 5_000,
  listBytesMax: 16 * 1024 * 1024,
  listTimeoutMs: 30_000,
  refetchMs: 1_000,
  logLines: 200,
})
