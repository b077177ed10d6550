// Checks of what guards the secrets: the key that seals them, and the owner's password.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isLoopback } from '../../config/network.ts'
import { openReader } from '../../db/reader.ts'
import { GatewayError } from '../../errors.ts'
import type { Gateway } from '../../gateway.ts'
import { findOperator } from '../../operator/queries.ts'
import { checkKey } from '../../secrets/check.ts'
import { openKeyRing } from '../../secrets/key-ring.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const NAME = 'key'

export interface KeyFindings {
  readonly findings: readonly Finding[]
  /** True when a gateway can be opened without making a key. */
  readonly isThere: boolean
}

/** The key itself, without making one. @param isCurrent whether the database can be read as it is */
export function checkKeyPlace(config: Config, isCurrent: boolean): KeyFindings {
  const path = join(config.dataDir, 'crow.key')
  if (config.key === null && !existsSync(path)) {
    const sealed = isCurrent ? countSealed(config.databasePath) : 0
    const finding =
      sealed === 0
        ? ok(NAME, `${path} will be made at the first start`)
        : fail(
            NAME,
            `${path} is missing, and what was sealed under it cannot be opened: ${sealed}`,
            'Put back your copy of it, before a start makes another one.',
          )
    return { findings: [finding], isThere: false }
  }
  try {
    const [newest, ...older] = openKeyRing({ dataDir: config.dataDir, written: config.key }).keys()
    const message = `${newest.id}, from ${config.key === null ? path : 'CROW_KEY'}`
    const finding =
      older.length === 0
        ? ok(NAME, message)
        : warn(NAME, `${message}; older ones still open too`, 'Finish the change of keys with crow key rotate.')
    return { findings: [finding], isThere: true }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { findings: [fail(NAME, error.message, error.hint ?? 'Do as the message says.')], isThere: false }
  }
}

function countSealed(path: string): number {
  const reader = openReader(path)
  try {
    return Number(reader.prepare('SELECT count(*) FROM secrets').pluck().get())
  } finally {
    reader.close()
  }
}

/** Whether the key opens what is sealed. */
export function checkSecrets({ database, vault }: Gateway): Finding {
  const { sealed, unreadable } = checkKey(database, vault)
  if (unreadable.length === 0) return ok('secrets', `sealed: ${sealed}, all open`)
  return fail(
    'secrets',
    `cannot be opened with this key: ${unreadable.join(', ')}`,
    'Bring back the key they were sealed with, or set them anew.',
  )
}

/** The owner's password; needed where others can come in. */
export function checkOperator({ config, database }: Gateway): Finding {
  const isReachable = config.publicUrl !== null || !isLoopback(config.host)
  const operator = findOperator(database)
  if (operator === undefined)
    return isReachable
      ? warn('operator', 'no password is set, so only /setup and /health are served', 'crow operator setup-code')
      : ok('operator', 'no password is set; the dashboard and logins of AI clients need one')
  if (operator.totpSealed === null && isReachable)
    return warn('operator', 'a password is set, without a second factor', 'Turn it on at /account.')
  return ok('operator', operator.totpSealed === null ? 'a password is set' : 'a password and a second factor are set')
}
