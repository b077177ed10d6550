// `crow servers add`, `remove`, `enable` and `disable`: only here, at the owner's terminal, is `servers.json` written.
import { DomainError } from '../../errors.ts'
import { isRecord } from '../../lib/json.ts'
import { servers } from '../../servers/index.ts'
import { integrationOf, integrations, type Integration } from '../../upstream/integrations.ts'
import { namesOf, whyNoId } from '../../upstream/source-id.ts'
import { nearest } from '../../lib/nearest.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../options.ts'
import { readSecrets } from '../secret-prompt.ts'
import { agreed, consentIn, consentOptions } from '../servers/agreement.ts'
import { type Draft, draftOf, looksSecret, settingsOf, type Written } from '../servers/draft.ts'
import { changeServers, dropSecrets, type Place, recordChange, sealSecrets, writeEntry } from '../servers/place.ts'
import { configOf } from '../setup.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import { unknown } from './servers.ts'

const WORDS_MAX = 500

export const serversAdd = defineCommand({
  name: 'servers add',
  usage: 'ID [--secret NAME]... [-- COMMAND ARGS...] | ID --url URL [--header H]... | INTEGRATION',
  summary: 'add an external server; its tools appear as ID_TOOL',
  positionals: [1, WORDS_MAX],
  options: {
    ...sharedOptions,
    url: { type: 'text', value: 'URL', help: 'address of a server that runs elsewhere, instead of a command' },
    type: { type: 'text', choices: ['http', 'sse'], value: 'KIND', help: 'http (the default) or sse, for --url' },
    header: { type: 'list', value: "'NAME: VALUE'", help: 'sent with every request to --url' },
    env: { type: 'list', value: 'NAME=VALUE', help: 'a variable of the command' },
    secret: { type: 'list', value: 'NAME', help: 'a secret variable: asked for, and kept sealed in the database' },
    cwd: { type: 'text', value: 'FOLDER', help: 'where the command runs; your home folder when absent' },
    isolation: { type: 'text', choices: ['shared', 'client'], value: 'HOW', help: 'client: a process for each client' },
    replace: { type: 'flag', help: 'in place of what has this id' },
    ...consentOptions,
  },
  notes: [
    'With --url a secret goes where a header says ${NAME}, and becomes the bearer token where none does. Values of headers and variables that look like secrets are sealed too.',
    'crow servers list --available names the integrations; for one of them the id is enough. Without a terminal, secrets are lines of stdin. A running gateway follows at once.',
  ],
  async run(terminal, { options, positionals: [id = '', ...command] }) {
    const why = whyNoId(id, namesOf(servers))
    if (why !== undefined) throw new UsageError(`${JSON.stringify(visible(id))} ${why}`)
    const { url, type, cwd, isolation, header = [], env = [], secret = [] } = options
    const written: Written = { command, url, type, cwd, isolation, header, env, secret }
    const config = configOf(terminal, options)
    await changeServers(terminal, config, async (place, gateway) => {
      if (place.entries.has(id) && options.replace !== true)
        throw new DomainError('conflict', 'SERVER_EXISTS', `there is a server ${id} already`, {
          hint: 'Choose another id, or add --replace.',
        })
      const draft = await draftFor(terminal, id, written)
      const accepted = { ...draft.entry, ...(options['accept-unverified'] === true ? { acceptUnverified: true } : {}) }
      const entry = await agreed(terminal, place, { id, raw: accepted, secrets: draft.secrets }, consentIn(options))
      await sealSecrets(gateway, id, draft.secrets)
      await writeEntry(place, id, [], entry)
      await dropSecrets(gateway, id, place.entries.get(id), entry)
      recordChange(gateway, 'server_add', id)
    })
    if (options.json === true) terminal.out(JSON.stringify({ added: id }))
    else terminal.out(`${id} is added. crow servers test ${id} tries it.`)
    return exitCodes.ok
  },
})

async function draftFor(terminal: Terminal, id: string, written: Written): Promise<Draft> {
  const { command, url, secret } = written
  const integration = integrationOf(id)
  if (command.length === 0 && url === undefined) {
    if (integration !== undefined) return await settingsFor(terminal, integration, written)
    const near = nearest(
      id,
      integrations.map((one) => one.id),
    )
    const meant = near === undefined ? '' : `; did you mean the integration ${near}?`
    throw new UsageError(`name a command after --, or an address with --url${meant}`)
  }
  const questions = secret.map((name) => `${visible(name)}: `)
  return draftOf(id, written, await readSecrets(terminal, questions))
}

/** Asks for the variables that the command line does not name. An empty answer leaves one to the environment. */
async function settingsFor(terminal: Terminal, integration: Integration, written: Written): Promise<Draft> {
  const named = written.env.map((pair) => pair.split('=', 1)[0])
  const wanted = integration.variables.filter((name) => !named.includes(name))
  const isThere = wanted.every((name) => (terminal.env[name] ?? '') !== '')
  if (!terminal.isInteractive && isThere) return settingsOf(integration, new Map(), written)
  if (wanted.length > 0) {
    const { name, keyUrl, keyInstructions } = integration
    terminal.err(`${name}: ${keyInstructions}${keyUrl === undefined ? '' : ` ${keyUrl}`}`)
  }
  const questions = wanted.map((name) => `${name}${terminal.env[name] ? ' (empty: from the environment)' : ''}: `)
  const answers = terminal.isInteractive
    ? await oneByOne(terminal, wanted, questions)
    : await readSecrets(terminal, questions)
  return settingsOf(integration, new Map(wanted.map((name, at) => [name, answers[at] ?? ''])), written)
}

/** What is no secret is typed visibly. */
async function oneByOne(terminal: Terminal, names: readonly string[], questions: readonly string[]): Promise<string[]> {
  const answers: string[] = []
  for (const [at, question] of questions.entries()) {
    const [hidden = ''] = looksSecret(names[at] ?? '') ? await readSecrets(terminal, [question]) : []
    answers.push(looksSecret(names[at] ?? '') ? hidden : await terminal.ask(question))
  }
  return answers
}

export const serversRemove = defineCommand({
  name: 'servers remove',
  usage: 'ID [--json]',
  summary: 'take an external server out of servers.json, with its secrets',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [id = ''] }) {
    await changeServers(terminal, configOf(terminal, options), async (place, gateway) => {
      const entry = place.entries.get(id)
      if (entry === undefined) throw notInFile(place, id)
      await writeEntry(place, id, [], undefined)
      await dropSecrets(gateway, id, entry, {})
      recordChange(gateway, 'server_remove', id)
    })
    terminal.out(options.json === true ? JSON.stringify({ removed: id }) : `${id} is removed.`)
    return exitCodes.ok
  },
})

function notInFile({ list, entries }: Place, id: string) {
  const isSet = list.specs.some((spec) => spec.id === id)
  if (!isSet) return unknown(id, [...entries.keys()])
  return new DomainError('conflict', 'SERVER_MISSING', `${id} is configured by the environment, not in servers.json`, {
    hint: `crow servers disable ${id} switches it off.`,
  })
}

export const serversEnable = defineCommand({
  name: 'servers enable',
  usage: 'ID [--accept-unverified] [--yes] [--json]',
  summary: 'switch an external server on',
  positionals: [1, 1],
  options: { ...sharedOptions, ...consentOptions },
  async run(terminal, { options, positionals: [id = ''] }) {
    await changeServers(terminal, configOf(terminal, options), async (place, gateway) => {
      const present = place.entries.get(id)
      if (present === undefined && integrationOf(id) === undefined) throw unknown(id, [...place.entries.keys()])
      const { disabled: _disabled, enabled: _enabled, ...rest } = isRecord(present) ? present : {}
      const isGiven = options['accept-unverified'] === true
      const raw = isGiven ? { ...rest, acceptUnverified: true } : rest
      const accepted = rest['acceptUnverified'] === true
      const consent = { ...consentIn(options), ...(accepted ? { acceptUnverified: true } : {}) }
      const entry = await agreed(terminal, place, { id, raw, secrets: new Map() }, consent)
      if (present === undefined) await writeEntry(place, id, [], entry)
      else {
        await writeEntry(place, id, ['disabled'], undefined)
        await writeEntry(place, id, ['enabled'], undefined)
        if (entry['acceptUnverified'] === true) await writeEntry(place, id, ['acceptUnverified'], true)
      }
      recordChange(gateway, 'server_enable', id)
    })
    terminal.out(options.json === true ? JSON.stringify({ enabled: id }) : `${id} is switched on.`)
    return exitCodes.ok
  },
})

export const serversDisable = defineCommand({
  name: 'servers disable',
  usage: 'ID [--json]',
  summary: 'switch an external server off, and keep how it is configured',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [id = ''] }) {
    await changeServers(terminal, configOf(terminal, options), async (place, gateway) => {
      if (!place.entries.has(id) && integrationOf(id) === undefined) throw unknown(id, [...place.entries.keys()])
      await writeEntry(place, id, ['disabled'], true)
      recordChange(gateway, 'server_disable', id)
    })
    terminal.out(options.json === true ? JSON.stringify({ disabled: id }) : `${id} is switched off.`)
    return exitCodes.ok
  },
})
