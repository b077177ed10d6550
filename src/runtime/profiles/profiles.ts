// Who is shown what: profiles by name, those given to a client, and the one for everybody else. Kept in memory, so that a list
// costs no query; what another process writes is noticed within a second. Only the owner changes them.
import type { Database } from '../../db/client.ts'
import { onForeignChange } from '../../db/foreign-change.ts'
import { DomainError } from '../../errors.ts'
import { nearest } from '../../lib/nearest.ts'
import type { ChangeBus } from '../bus.ts'
import type { Catalog } from '../catalog.ts'
import type { Caller, Clock, Log } from '../context.ts'
import { saidName } from '../said-name.ts'
import { pinsOf } from './pins.ts'
import { BUILT_IN, clientKeyOf, DEFAULT_PROFILE, isProfileName, profileOf, type Profile } from './profile.ts'
import {
  countProfileRows,
  dropProfileRow,
  findProfileRow,
  listProfileRows,
  putProfileRow,
  type ProfileRow,
} from './queries.ts'

/** More than anybody would keep apart. */
const ROWS_MAX = 500

/** What the owner says of a profile. */
export type ProfileWish = Pick<Profile, 'mode'> & {
  readonly budgetTokens?: number | undefined
  /** Names of tools, as typed. */
  readonly pins?: readonly string[] | undefined
}

export interface NamedProfile {
  readonly name: string
  readonly profile: Profile
}

export interface GivenProfile {
  /** As `clientKeyOf` makes it. */
  readonly client: string
  /** The name of its profile; null where it has one of its own. */
  readonly name: string | null
  readonly profile: Profile
  readonly updatedAt: number
}

export interface Profiles {
  /** What a caller is shown: the profile that its address names, its own, or the default. The same object until that changes. */
  readonly of: (caller: Caller) => Profile
  find(name: string): Profile | undefined
  /** @throws DomainError PROFILE_UNKNOWN, with the names there are */
  named(name: string): Profile
  list(): { readonly profiles: readonly NamedProfile[]; readonly clients: readonly GivenProfile[] }
  /** Makes a profile, or makes it anew. @throws DomainError PROFILE_INVALID, PROFILES_FULL */
  define(name: string, wish: ProfileWish): Promise<Profile>
  /** Gives a client a profile by name, or one of its own. @throws DomainError PROFILE_UNKNOWN, PROFILE_INVALID, PROFILES_FULL */
  give(client: string, wish: string | ProfileWish): Promise<Profile>
  /** The client is shown what everybody is. @throws DomainError PROFILE_UNKNOWN when it had none */
  take(client: string): Promise<void>
  /** @throws DomainError PROFILE_UNKNOWN, PROFILE_INVALID for one that is built in, PROFILE_IN_USE */
  remove(name: string): Promise<void>
}

export interface ProfilesOptions {
  /** Whether changes of other processes are looked for. */
  readonly watch: boolean
  /** Told when lists may have changed. */
  readonly bus: ChangeBus
  readonly log: Pick<Log, 'warn'>
  /** Asked when tools are pinned. */
  readonly catalog: () => Pick<Catalog, 'servers'>
}

interface Known {
  readonly text: string
  readonly rows: readonly ProfileRow[]
  readonly named: ReadonlyMap<string, Profile>
  readonly given: ReadonlyMap<string, Profile>
}

export async function openProfiles(db: Database, clock: Clock, options: ProfilesOptions): Promise<Profiles> {
  let known = knownFrom([])
  const take = (rows: readonly ProfileRow[]): void => {
    if (textOf(rows) === known.text) return
    known = knownFrom(rows)
    options.bus.emit({ kind: 'tools' })
  }
  const lookPatiently = (): void =>
    void db
      .read(listProfileRows)
      .then(take)
      .catch((error: unknown) => options.log.warn({ err: error }, 'profiles could not be read'))
  // Ends with the database. Begun before the first look, so that no commit falls between the two.
  if (options.watch) onForeignChange(db, lookPatiently)
  known = knownFrom(await db.read(listProfileRows))
  const named = (name: string): Profile => known.named.get(name) ?? throwUnknown(name, [...known.named.keys()])
  const given = (client: string | undefined): Profile =>
    (client === undefined ? undefined : known.given.get(client)) ?? DEFAULT_PROFILE
  return {
    of(caller) {
      const asked = caller.profile === undefined ? undefined : known.named.get(caller.profile)
      return asked ?? given(clientKeyOf(caller))
    },
    find: (name) => known.named.get(name),
    named,
    list: () => ({
      profiles: [...known.named].map(([name, profile]) => ({ name, profile })),
      clients: known.rows
        .filter(({ kind }) => kind === 'client')
        .map(({ key: client, profile: name, updatedAt }) => ({ client, name, profile: given(client), updatedAt })),
    }),
    ...changesOf({ db, clock, catalog: options.catalog, named, given, look: () => take(listProfileRows(db)) }),
  }
}

interface Changing extends Pick<ProfilesOptions, 'catalog'> {
  readonly db: Database
  readonly clock: Clock
  readonly named: (name: string) => Profile
  readonly given: (client: string) => Profile
  /** Reads again what was written. */
  readonly look: () => void
}

type Key = Pick<ProfileRow, 'kind' | 'key'>
type Changes = Pick<Profiles, 'define' | 'give' | 'take' | 'remove'>

function changesOf({ db, clock, catalog, named, given, look }: Changing): Changes {
  const put = async (key: Key, what: Partial<ProfileRow>): Promise<void> => {
    await db.write((tx) => {
      if (findProfileRow(tx, key) === undefined && countProfileRows(tx) >= ROWS_MAX) throw full()
      const empty = { profile: null, mode: null, budgetTokens: null, pins: [] }
      putProfileRow(tx, { ...empty, ...what, ...key, updatedAt: clock.now() })
    })
    look()
  }
  const settled = (key: Key, { mode, budgetTokens, pins = [] }: ProfileWish): Partial<ProfileRow> => {
    refuseContradiction({ mode, budgetTokens, pins })
    const kept = findProfileRow(db, key)?.pins ?? []
    return { mode, budgetTokens: budgetTokens ?? null, pins: pinsOf(catalog().servers, pins, kept) }
  }
  return {
    async define(name, wish) {
      refuseName(name)
      const key = { kind: 'profile', key: name } as const
      await put(key, settled(key, wish))
      return named(name)
    },
    async give(client, wish) {
      const key = { kind: 'client', key: client } as const
      if (typeof wish === 'string') named(wish)
      await put(key, typeof wish === 'string' ? { profile: wish } : settled(key, wish))
      return given(client)
    },
    async take(client) {
      if (!(await db.write((tx) => dropProfileRow(tx, { kind: 'client', key: client }))))
        throw new DomainError('missing', 'PROFILE_UNKNOWN', `${client} has no profile of its own.`)
      look()
    },
    async remove(name) {
      refuseBuiltIn(name)
      named(name)
      await db.write((tx) => {
        const users = listProfileRows(tx).filter(({ profile }) => profile === name)
        if (users.length > 0) throw inUse(name, users)
        dropProfileRow(tx, { kind: 'profile', key: name })
      })
      look()
    },
  }
}

const textOf = (rows: readonly ProfileRow[]): string => JSON.stringify(rows)

function knownFrom(rows: readonly ProfileRow[]): Known {
  const stored = rows.filter(({ kind }) => kind === 'profile').map((row) => [row.key, ownOf(row)] as const)
  const named = new Map([...BUILT_IN, ...stored])
  const given = rows
    .filter(({ kind }) => kind === 'client')
    .map((row) => [row.key, (row.profile === null ? undefined : named.get(row.profile)) ?? ownOf(row)] as const)
  return { text: textOf(rows), rows, named, given: new Map(given) }
}

function ownOf({ mode, budgetTokens, pins }: ProfileRow): Profile {
  return profileOf(mode ?? DEFAULT_PROFILE.mode, { ...(budgetTokens === null ? {} : { budgetTokens }), pins })
}

function refuseContradiction({ mode, budgetTokens, pins }: ProfileWish): void {
  if (budgetTokens !== undefined && mode !== 'auto') throw invalid(`A budget is for auto; ${mode} has none.`)
  if (pins !== undefined && pins.length > 0 && mode === 'direct')
    throw invalid('direct lists every tool already; pins are for router and auto.')
}

function refuseName(name: string): void {
  refuseBuiltIn(name)
  if (!isProfileName(name)) throw invalid('A profile has a name of 1 to 32 characters: a-z, 0-9, - and _.')
}

function refuseBuiltIn(name: string): void {
  if (BUILT_IN.has(name)) throw invalid(`The profile ${name} is built in, and stays as it is.`)
}

const invalid = (message: string): DomainError => new DomainError('invalid', 'PROFILE_INVALID', message)

function throwUnknown(name: string, names: readonly string[]): never {
  const near = nearest(saidName(name), names)
  throw new DomainError(
    'invalid',
    'PROFILE_UNKNOWN',
    `There is no profile ${JSON.stringify(saidName(name))}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    { hint: `Profiles: ${names.join(', ')}.` },
  )
}

const inUse = (name: string, users: readonly ProfileRow[]): DomainError =>
  new DomainError(
    'conflict',
    'PROFILE_IN_USE',
    `The profile ${name} is that of ${users.map(({ key }) => key).join(', ')}.`,
    {
      hint: 'Give them another one first.',
    },
  )

const full = (): DomainError => new DomainError('conflict', 'PROFILES_FULL', `There are ${ROWS_MAX} profiles already.`)
