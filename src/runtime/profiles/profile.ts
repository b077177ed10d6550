// What a client is shown at the mount that shows everything. A profile decides what is listed, never what may be called: so a
// client whose profile changes goes on with the names that it knows.
import type { Caller } from '../context.ts'

/** One tool for each server, every tool by its own name, or the latter where it fits a budget. */
export const PROFILE_MODES = ['router', 'direct', 'auto'] as const
export type ProfileMode = (typeof PROFILE_MODES)[number]

export interface Profile {
  readonly mode: ProfileMode
  /** Under `auto`: the longest direct list, in tokens. */
  readonly budgetTokens: number
  /** Public names of tools that are listed by their own names also where the others are not. */
  readonly pins: readonly string[]
}

export const BUDGET_TOKENS = 10_000

export const profileOf = (
  mode: ProfileMode,
  { budgetTokens = BUDGET_TOKENS, pins = [] }: { budgetTokens?: number; pins?: readonly string[] } = {},
): Profile => Object.freeze({ mode, budgetTokens, pins: Object.freeze([...pins]) })

/** There always, and as they are; the first is for whoever has no other. */
export const BUILT_IN: ReadonlyMap<string, Profile> = new Map(PROFILE_MODES.map((mode) => [mode, profileOf(mode)]))
export const DEFAULT_PROFILE: Profile = BUILT_IN.get('router') ?? profileOf('router')

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/

/** Short, and spelt in one way only, so that it can stand in an address. */
export const isProfileName = (name: string): boolean => NAME.test(name)

/** The query of an address that names a profile. */
export const profileQuery = (name: string): string => `?profile=${name}`

/**
 * What profiles are given to: the client's id at the authorization server, the name of its local token, or how it came in.
 * Undefined for whoever is no client.
 */
export function clientKeyOf({
  kind,
  client,
  clientId,
}: Pick<Caller, 'kind' | 'client' | 'clientId'>): string | undefined {
  if (kind === 'oauth') return clientId === undefined ? undefined : `oauth:${clientId}`
  if (kind === 'local') return client === undefined ? undefined : `token:${client}`
  return kind === 'stdio' || kind === 'loopback' ? kind : undefined
}

const named = new WeakMap<Caller, Map<string, Caller>>()

/** The same caller, for whom the profile of this name is asked; the same object each time. */
export function withProfile(caller: Caller, profile: string | undefined): Caller {
  if (caller.profile === profile) return caller
  const { profile: _asked, ...bare } = caller
  if (profile === undefined) return Object.freeze(bare)
  const known = named.get(caller) ?? new Map<string, Caller>()
  named.set(caller, known)
  const made = known.get(profile) ?? Object.freeze({ ...bare, profile })
  known.set(profile, made)
  return made
}
