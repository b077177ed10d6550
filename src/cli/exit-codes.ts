// What the exit code of `crow` says. Programs branch on these, so they never change meaning (numbers ≥ 64: BSD sysexits).

export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  unavailable: 69,
  cannotCreate: 73,
  configuration: 78,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** One line per code, for `--help` and the docs. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'done'],
  [exitCodes.failure, 'it was tried and failed, or a check found something'],
  [exitCodes.usage, 'the command line is wrong'],
  [
    exitCodes.unavailable,
    'something needed is not there: the port is in use, the database is busy, the gateway is not running',
  ],
  [exitCodes.cannotCreate, 'the data folder or a file cannot be created or written'],
  [
    exitCodes.configuration,
    'the configuration or the key of the secrets is wrong, or the database belongs to a newer version',
  ],
]
