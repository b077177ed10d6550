// `crow operator`: the owner's login, for whoever has the terminal: the first code, the password, sessions, a lost phone.
import { browserOf } from '../../pages/browser.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { localAddress } from '../../lib/address.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../options.ts'
import { readPassword } from '../secret-prompt.ts'
import { configOf, withGateway } from '../setup.ts'
import { tableOf } from '../table.ts'

export const operatorSetupCode = defineCommand({
  name: 'operator setup-code',
  usage: '[--json]',
  summary: 'show a one-time code for the first password at /setup',
  options: sharedOptions,
  notes: ['The code lasts half an hour, and a new one takes the place of the one before.'],
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    const code = await withGateway(config, async ({ operators }) => await operators.makeSetupCode())
    const base = config.publicUrl?.href.replace(/\/+$/, '') ?? localAddress(config.host, config.port)
    if (options.json === true) terminal.out(JSON.stringify({ code, page: `${base}/setup` }))
    else {
      terminal.out(code)
      terminal.err(`Type it at ${base}/setup within half an hour, and choose the password there.`)
    }
    return exitCodes.ok
  },
})

export const operatorPassword = defineCommand({
  name: 'operator password',
  usage: '[--json]',
  summary: 'set the password of the owner and sign out everywhere',
  options: sharedOptions,
  notes: ['It is asked for twice and not shown. Without a terminal it is the first line of stdin.'],
  async run(terminal, { options }) {
    const config = configOf(terminal, options)
    const password = await readPassword(terminal)
    await withGateway(config, async ({ operators }) => await operators.setPassword(password))
    if (options.json === true) terminal.out(JSON.stringify({ changed: true }))
    else terminal.out('The password is set, and every session has ended.')
    return exitCodes.ok
  },
})

export const operatorSessions = defineCommand({
  name: 'operator sessions',
  usage: '[--json]',
  summary: 'list where the owner is signed in',
  options: sharedOptions,
  async run(terminal, { options }) {
    const sessions = await withGateway(configOf(terminal, options), async ({ operators }) => operators.sessions())
    const rows = sessions.map(({ id, userAgent, address, createdAt, lastSeenAt, expiresAt }) => ({
      id,
      browser: browserOf(userAgent),
      address,
      createdAt: isoOf(createdAt),
      lastSeenAt: isoOf(lastSeenAt),
      expiresAt: isoOf(expiresAt),
    }))
    if (options.json === true) terminal.out(JSON.stringify(rows))
    else if (rows.length === 0) terminal.out('Nobody is signed in.')
    else {
      const lines = tableOf(
        ['id', 'browser', 'address', 'since', 'last seen', 'until'],
        rows.map((row) => Object.values(row)),
      )
      for (const line of lines) terminal.out(line)
    }
    return exitCodes.ok
  },
})

export const operatorRevoke = defineCommand({
  name: 'operator revoke',
  usage: '[NUMBER] [--all] [--json]',
  summary: 'end one session of the owner, or all of them',
  positionals: [0, 1],
  options: { ...sharedOptions, all: { type: 'flag', help: 'every session' } },
  async run(terminal, { options, positionals: [typed] }) {
    const isAll = options.all === true
    if (isAll === (typed !== undefined))
      throw new UsageError('name one session by its number, which `crow operator sessions` shows, or --all')
    if (typed !== undefined && !/^\d{1,15}$/.test(typed))
      throw new UsageError(`a session has a number, not ${JSON.stringify(typed)}`)
    const ended = await withGateway(configOf(terminal, options), async ({ operators }) =>
      isAll ? await operators.revokeAll() : Number(await operators.revoke(Number(typed))),
    )
    if (options.json === true) terminal.out(JSON.stringify({ ended }))
    else terminal.out(ended === 1 ? '1 session has ended.' : `${ended} sessions have ended.`)
    return ended === 0 && !isAll ? exitCodes.failure : exitCodes.ok
  },
})

export const operatorDisable2fa = defineCommand({
  name: 'operator disable-2fa',
  usage: '[--json]',
  summary: 'turn the second factor off, for when the phone and the recovery codes are lost',
  options: sharedOptions,
  async run(terminal, { options }) {
    const wasOn = await withGateway(configOf(terminal, options), async ({ operators }) => {
      const isOn = operators.hasSecondFactor()
      await operators.disableFactor()
      return isOn
    })
    if (options.json === true) terminal.out(JSON.stringify({ wasOn }))
    else terminal.out(wasOn ? 'The second factor is off.' : 'There was no second factor.')
    return exitCodes.ok
  },
})

export const operatorUnlock = defineCommand({
  name: 'operator unlock',
  usage: '[--json]',
  summary: 'forget failed logins, so that nobody has to wait',
  options: sharedOptions,
  async run(terminal, { options }) {
    await withGateway(configOf(terminal, options), async ({ operators }) => await operators.forgiveFailures())
    if (options.json === true) terminal.out(JSON.stringify({ forgiven: true }))
    else terminal.out('Failed logins are forgotten.')
    return exitCodes.ok
  },
})

const isoOf = (at: number): string => new Date(at).toISOString()
