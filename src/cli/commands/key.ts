// `crow key`: the key of the secrets at rest. It is named by its public id and never shown.
import type { AccessEvent } from '../../db/audit.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { configOf, withGateway } from '../setup.ts'

export const keyRotate = defineCommand({
  name: 'key rotate',
  usage: '[--json]',
  summary: 'make a new key and seal every secret anew under it',
  options: sharedOptions,
  notes: [
    'Gateways that run meanwhile take the new key up by themselves. A copy of the database made before needs the old key: keep it with that copy.',
    'With CROW_KEY: put the new key before the old one with a comma between them, run this, then take the old one away.',
  ],
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    const { rotateKey } = await import('../../secrets/rotate.ts')
    const { key, sealed } = await withGateway(config, async ({ database, vault, audit }) => {
      const rotated = await rotateKey(database, vault)
      audit.access({ event: 'key_rotate', outcome: 'ok', subject: `key:${rotated.key}`, ...byCommand })
      return rotated
    })
    if (options.json === true) terminal.out(JSON.stringify({ key, sealed }))
    else terminal.out(`The key is now ${key}; ${countOf(sealed)} sealed anew.`)
    if (config.key !== null)
      terminal.err('Every secret is under the first key of CROW_KEY: the others can be taken away.')
    return exitCodes.ok
  },
})

export const keyStatus = defineCommand({
  name: 'key status',
  usage: '[--json]',
  summary: 'show which key is in use and whether it opens every secret',
  options: sharedOptions,
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    const { checkKey } = await import('../../secrets/check.ts')
    const { keys, sealed, unreadable } = await withGateway(config, async ({ database, vault }) =>
      checkKey(database, vault),
    )
    const from = config.key === null ? 'file' : 'CROW_KEY'
    if (options.json === true) terminal.out(JSON.stringify({ from, keys, sealed, unreadable }))
    else {
      const [newest = '', ...older] = keys
      terminal.out(`key ${newest}, from ${config.key === null ? `${config.dataDir}/crow.key` : 'CROW_KEY'}`)
      if (older.length > 0) terminal.out(`also opens with: ${older.join(', ')} (crow key rotate ends this)`)
      terminal.out(
        unreadable.length === 0 ? `${countOf(sealed)} sealed, all open` : `cannot be opened: ${unreadable.join(', ')}`,
      )
    }
    return unreadable.length === 0 ? exitCodes.ok : exitCodes.failure
  },
})

const byCommand = { caller: 'cli', callerKind: 'cli' } as const satisfies Partial<AccessEvent>

function countOf(secrets: number): string {
  return secrets === 1 ? '1 secret' : `${secrets} secrets`
}
