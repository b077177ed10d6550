// Which client is meant by what was typed: those that are let in, those that registered, and the ways in without either.
import { GatewayError } from '../errors.ts'
import type { Gateway } from '../gateway.ts'
import { nearest } from '../lib/nearest.ts'
import { inert } from '../pages/inert.ts'
import type { Caller } from '../runtime/context.ts'
import { clientKeyOf } from '../runtime/profiles/profile.ts'
import { UsageError } from './options.ts'

export interface ProfileClient {
  /** What a profile is given to. */
  readonly key: string
  /** As it calls itself, or as its token is called. */
  readonly label: string
  /** Who it is to the gateway, with the scopes that it has now. */
  readonly caller: Caller
  /** By which else it goes: client id, numbers of its connections. */
  readonly names: readonly string[]
}

/** Every client that a profile can be given to. */
export async function profileClients({ clock, database, tokens }: Gateway): Promise<ProfileClient[]> {
  const { createAuthorizations } = await import('../oauth/authorizations.ts')
  const { createKnownClients } = await import('../oauth/known-clients.ts')
  const connected = createAuthorizations(database, clock, () => undefined).list()
  const registered = createKnownClients(database, clock, () => undefined).list()
  const ids = new Set([...connected, ...registered].map(({ clientId }) => clientId))
  const local = tokens.list().filter(({ state }) => state === 'live')
  return [
    ...[...ids].flatMap((clientId) => {
      const own = connected.filter((each) => each.clientId === clientId)
      const name = own[0]?.clientName ?? registered.find((each) => each.clientId === clientId)?.name ?? ''
      const scopes = new Set(own.flatMap((each) => each.scopes))
      const caller: Caller = { id: 'cli', kind: 'oauth', scopes, client: name, clientId }
      return clientOf(caller, inert(name), [clientId, ...own.map(({ id }) => `oauth:${id}`)])
    }),
    ...local.flatMap(({ id, name, scopes }) => {
      const caller: Caller = {
        id: 'cli',
        kind: 'local',
        scopes: scopes === null ? 'all' : new Set(scopes),
        client: name,
      }
      return clientOf(caller, name, [`local:${id}`])
    }),
    ...clientOf({ id: 'cli', kind: 'stdio', scopes: 'all' }, 'every client of crow stdio', []),
    ...clientOf({ id: 'cli', kind: 'loopback', scopes: 'all' }, 'every client under --no-auth', []),
  ]
}

function clientOf(caller: Caller, label: string, names: readonly string[]): ProfileClient[] {
  const key = clientKeyOf(caller)
  return key === undefined ? [] : [{ key, label, caller, names: [key, ...names] }]
}

/**
 * By key, client id or number; else by its own name, if nobody else has that.
 * @throws UsageError for several, GatewayError CLIENT_MISSING for none
 */
export function clientNamed(clients: readonly ProfileClient[], typed: string): ProfileClient {
  const exact = clients.filter(({ names }) => names.includes(typed))
  const found = exact.length > 0 ? exact : clients.filter(({ label }) => label === typed)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  if (found.length > 1)
    throw new UsageError(
      `${JSON.stringify(typed)} is the name of ${found.map(({ key }) => key).join(' and of ')}; type one of these`,
    )
  // A client that is an address is known by it before it ever came.
  const [ahead] = typed.startsWith('https://')
    ? clientOf({ id: 'cli', kind: 'oauth', scopes: new Set(), clientId: typed }, '', [])
    : []
  return ahead ?? throwMissing(clients, typed)
}

function throwMissing(clients: readonly ProfileClient[], typed: string): never {
  const near = nearest(
    typed,
    clients.flatMap(({ label, names }) => [label, ...names]),
  )
  throw new GatewayError(
    'missing',
    'CLIENT_MISSING',
    `there is no client ${JSON.stringify(typed)}${near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`}`,
    { hint: '`crow clients list` and `crow token list` show them; stdio is whoever starts `crow stdio`.' },
  )
}
