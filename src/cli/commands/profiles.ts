// `crow profiles`: which tools each AI client is shown at the router, for whoever has the terminal.
import type { Gateway } from '../../gateway.ts'
import { everyone } from '../../runtime/compile-server.ts'
import {
  BUDGET_TOKENS,
  PROFILE_MODES,
  withProfile,
  type Profile,
  type ProfileMode,
} from '../../runtime/profiles/profile.ts'
import type { ProfileWish } from '../../runtime/profiles/profiles.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError, type Option } from '../options.ts'
import { clientNamed, profileClients, type ProfileClient } from '../profile-clients.ts'
import { factsOf, listedFor, sentenceOf } from '../profile-shown.ts'
import { configOf, refuseMissing, withGateway, type PlaceOptions } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'

const wishOptions = {
  budget: {
    type: 'integer',
    value: 'N',
    min: 1,
    max: 1_000_000,
    help: `auto: the longest direct list, in tokens (${BUDGET_TOKENS})`,
  },
  pin: { type: 'list', value: 'TOOL', help: 'a tool that is listed by its own name beside the others' },
} as const satisfies Record<string, Option>

const FOLLOWS = 'Running gateways follow within a second, and tell the clients that listen.'

export const profilesList = defineCommand({
  name: 'profiles list',
  usage: '[--json]',
  summary: 'list the profiles, and the clients that were given one',
  options: sharedOptions,
  async run(terminal, { options }) {
    const shown = await withProfiles(terminal, options, async (gateway, clients) => {
      const { profiles, clients: given } = gateway.profiles.list()
      const labels = new Map(clients().map(({ key, label }) => [key, label]))
      return {
        profiles: profiles.map(({ name, profile }) => ({ name, ...factsOf(profile) })),
        clients: given.map(({ client, name, profile, updatedAt }) => ({
          client,
          name: labels.get(client) ?? null,
          profile: name,
          ...factsOf(profile),
          updatedAt: new Date(updatedAt).toISOString(),
        })),
      }
    })
    if (options.json === true) terminal.out(visibleJson(JSON.stringify(shown)))
    else {
      for (const line of tableOf(
        ['profile', 'mode', 'budget', 'pins'],
        shown.profiles.map(({ name, mode, budgetTokens, pins }) => [name, mode, budgetTokens, listed(pins)]),
      ))
        terminal.out(line)
      terminal.out('')
      if (shown.clients.length === 0) terminal.out('Every client is shown the profile router.')
      else
        for (const line of tableOf(
          ['client', 'name', 'profile', 'mode', 'budget', 'pins'],
          shown.clients.map(({ client, name, profile, mode, budgetTokens, pins }) => [
            visible(client),
            name === null ? null : visible(name),
            profile,
            mode,
            budgetTokens,
            listed(pins),
          ]),
        ))
          terminal.out(line)
    }
    return exitCodes.ok
  },
})

export const profilesShow = defineCommand({
  name: 'profiles show',
  usage: 'CLIENT-OR-NAME [--json]',
  summary: 'show what a client, or a profile, lists and about how many tokens that is',
  positionals: [1, 1],
  options: sharedOptions,
  async run(terminal, { options, positionals: [typed = ''] }) {
    await withProfiles(terminal, options, async (gateway, clients) => {
      const client = gateway.profiles.find(typed) === undefined ? clientNamed(clients(), typed) : undefined
      const caller = client?.caller ?? withProfile(everyone, typed)
      const given = gateway.profiles.list().clients.find((each) => each.client === client?.key)
      const name = client === undefined ? typed : given === undefined ? 'router' : given.name
      show(terminal, options, { gateway, client, name, profile: gateway.profiles.of(caller), caller })
    })
    return exitCodes.ok
  },
})

export const profilesSet = defineCommand({
  name: 'profiles set',
  usage: 'CLIENT PROFILE [--budget N] [--pin TOOL]... [--json]',
  summary: 'give a client a profile: router, direct, auto, or one that was defined',
  positionals: [2, 2],
  options: { ...sharedOptions, ...wishOptions },
  notes: [
    'CLIENT is a client id, the name of a client or of a local token, or `stdio`. With --budget or --pin the client has a profile of its own.',
    `A profile that the client's address names (?profile=NAME) goes before this one. ${FOLLOWS}`,
  ],
  async run(terminal, { options, positionals: [typed = '', asked = ''] }) {
    await withProfiles(terminal, options, async (gateway, clients) => {
      const client = clientNamed(clients(), typed)
      const isOwn = options.budget !== undefined || options.pin !== undefined
      if (isOwn && !isMode(asked))
        throw new UsageError(`--budget and --pin go with router or auto; ${JSON.stringify(asked)} has its own`)
      const profile = await gateway.profiles.give(client.key, isMode(asked) && isOwn ? wishOf(asked, options) : asked)
      show(terminal, options, { gateway, client, name: isOwn ? null : asked, profile, caller: client.caller })
    })
    return exitCodes.ok
  },
})

export const profilesDefine = defineCommand({
  name: 'profiles define',
  usage: 'NAME MODE [--budget N] [--pin TOOL]... [--json]',
  summary: 'make a profile that clients can be given, or name in their address',
  positionals: [2, 2],
  options: { ...sharedOptions, ...wishOptions },
  notes: [`MODE is router, direct or auto. A profile of that name is replaced. ${FOLLOWS}`],
  async run(terminal, { options, positionals: [name = '', mode = ''] }) {
    if (!isMode(mode)) throw new UsageError(`MODE is one of ${PROFILE_MODES.join(', ')}, not ${JSON.stringify(mode)}`)
    await withProfiles(terminal, options, async (gateway) => {
      const profile = await gateway.profiles.define(name, wishOf(mode, options))
      show(terminal, options, { gateway, client: undefined, name, profile, caller: withProfile(everyone, name) })
    })
    return exitCodes.ok
  },
})

export const profilesRemove = defineCommand({
  name: 'profiles remove',
  usage: 'CLIENT-OR-NAME [--json]',
  summary: 'take its profile from a client, or remove a profile that nobody has',
  positionals: [1, 1],
  options: sharedOptions,
  notes: [FOLLOWS],
  async run(terminal, { options, positionals: [typed = ''] }) {
    const removed = await withProfiles(terminal, options, async ({ profiles }, clients) => {
      if (profiles.find(typed) !== undefined) {
        await profiles.remove(typed)
        return { profile: typed }
      }
      // A client that is gone may still have one.
      const isKnown = profiles.list().clients.some(({ client }) => client === typed)
      const client = isKnown ? typed : clientNamed(clients(), typed).key
      await profiles.take(client)
      return { client }
    })
    const { client, profile } = { client: undefined, profile: undefined, ...removed }
    if (options.json === true) terminal.out(visibleJson(JSON.stringify(removed)))
    else if (client === undefined) terminal.out(`The profile ${profile} is removed.`)
    else terminal.out(`${visible(client)} is shown the profile router.`)
    return exitCodes.ok
  },
})

interface Showing {
  readonly gateway: Gateway
  readonly client: ProfileClient | undefined
  /** Null for a profile of the client's own. */
  readonly name: string | null
  readonly profile: Profile
  readonly caller: ProfileClient['caller']
}

function show(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
  { gateway, client, name, profile, caller }: Showing,
): void {
  const list = listedFor(gateway.catalog, caller)
  const facts = {
    ...(client === undefined ? {} : { client: client.key, name: client.label }),
    profile: name,
    ...factsOf(profile),
  }
  if (json === true) {
    terminal.out(visibleJson(JSON.stringify({ ...facts, listed: list ?? null })))
    return
  }
  const { mode, budgetTokens, pins } = factsOf(profile)
  const about = [
    mode,
    ...(budgetTokens === null ? [] : [`up to ${budgetTokens} tokens`]),
    ...(pins.length === 0 ? [] : [`pins ${listed(pins)}`]),
  ]
  if (client !== undefined)
    terminal.out(`${visible(client.key)}${client.label === '' ? '' : `  ${visible(client.label)}`}`)
  terminal.out(`Profile ${name ?? 'of its own'}: ${about.join(', ')}.`)
  if (list === undefined) terminal.err('The router is off (CROW_DISABLE_ROUTER=1): no profile has an effect.')
  else {
    terminal.out(sentenceOf(list))
    if (list.hiddenPins.length > 0) terminal.out(`Pinned, but not there for it now: ${list.hiddenPins.join(', ')}.`)
  }
}

const isMode = (word: string): word is ProfileMode => PROFILE_MODES.some((mode) => mode === word)

const listed = (pins: readonly string[]): string | null => (pins.length === 0 ? null : visible(pins.join(', ')))

function wishOf(
  mode: ProfileMode,
  { budget, pin }: { readonly budget?: number | undefined; readonly pin?: readonly string[] | undefined },
): ProfileWish {
  return { mode, budgetTokens: budget, pins: pin }
}

async function withProfiles<T>(
  terminal: Terminal,
  options: PlaceOptions,
  work: (gateway: Gateway, clients: () => readonly ProfileClient[]) => Promise<T>,
): Promise<T> {
  const config = configOf(terminal, options)
  refuseMissing(config)
  return await withGateway(config, async (gateway) => {
    const clients = await profileClients(gateway)
    return await work(gateway, () => clients)
  })
}
