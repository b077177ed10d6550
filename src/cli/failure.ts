// Turns whatever a command threw into one clear sentence and an honest exit code. A stack is printed for our own faults only.
import { ConfigError, GatewayError } from '../errors.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { UsageError } from './options.ts'

export interface Failure {
  readonly exitCode: ExitCode
  readonly code: string
  /** Sentences to show, first the failure, then what to do about it. */
  readonly lines: readonly string[]
}

const byCode: Readonly<Record<string, ExitCode>> = {
  DATABASE_NEWER: exitCodes.configuration,
  DATABASE_UNKNOWN: exitCodes.configuration,
  KEY_EXPOSED: exitCodes.configuration,
  KEY_INVALID: exitCodes.configuration,
  KEY_SINGLE: exitCodes.configuration,
  KEY_UNREADABLE: exitCodes.configuration,
  SECRET_UNREADABLE: exitCodes.configuration,
  DATA_FOLDER_INVALID: exitCodes.cannotCreate,
  DATA_FOLDER_UNWRITABLE: exitCodes.cannotCreate,
  DATABASE_READONLY: exitCodes.cannotCreate,
  DATABASE_FULL: exitCodes.cannotCreate,
  DATABASE_IO: exitCodes.cannotCreate,
  CLIENT_CONFIG_UNWRITABLE: exitCodes.cannotCreate,
}

/** Describes an expected failure; undefined for anything else, which is a fault of this program. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { exitCode: exitCodes.usage, code: 'USAGE', lines: [error.message] }
  if (error instanceof ConfigError) {
    return { exitCode: exitCodes.configuration, code: error.code, lines: error.problems }
  }
  if (error instanceof GatewayError) {
    const lines = error.hint === undefined ? [error.message] : [error.message, error.hint]
    const byKind = error.kind === 'unavailable' ? exitCodes.unavailable : exitCodes.failure
    return { exitCode: byCode[error.code] ?? byKind, code: error.code, lines }
  }
  return error instanceof Error && 'code' in error ? describeSystemError(error, String(error.code)) : undefined
}

/** A package that is not there, and a path that the user named and the system refuses. */
function describeSystemError(error: Error, code: string): Failure | undefined {
  if (/^(ERR_)?MODULE_NOT_FOUND$/.test(code)) {
    const [what = ''] = error.message.split('\n')
    const lines = [`the installation is incomplete (${what})`, 'Run npm ci in its folder.']
    return { exitCode: exitCodes.unavailable, code: 'INSTALL_INCOMPLETE', lines }
  }
  if (!('syscall' in error) || !('path' in error)) return undefined
  return {
    exitCode: exitCodes.cannotCreate,
    code: 'FILE_UNUSABLE',
    lines: [`${String(error.path)} cannot be used (${code})`],
  }
}

/** Every message ends like a sentence, whoever wrote it. */
export function asSentence(line: string): string {
  return /[.!?…]$/.test(line) ? line : `${line}.`
}
