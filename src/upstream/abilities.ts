// What a caller can be asked, as one canonical word and as the capabilities that are declared to a server for it.
import type { Caller } from '../runtime/context.ts'
import type { JsonObject } from '../lib/link.ts'

/** Sorted and comma-joined; '' for nothing. */
export type Abilities = string

const CAPABILITIES: Readonly<Record<string, readonly [group: string, part: string | undefined]>> = Object.freeze({
  elicitation: ['elicitation', 'form'],
  'elicitation.url': ['elicitation', 'url'],
  sampling: ['sampling', undefined],
  'sampling.tools': ['sampling', 'tools'],
})

export const abilitiesOf = ({ abilities = '' }: Caller): Abilities => abilities

export const can = (abilities: Abilities, ability: string): boolean => abilities.split(',').includes(ability)

/** @param roots whether the operator set any */
export function capabilitiesOf(abilities: Abilities, roots: boolean): JsonObject {
  const declared: Record<string, Record<string, object>> = roots ? { roots: {} } : {}
  for (const ability of abilities.split(',')) {
    const known = CAPABILITIES[ability]
    if (known === undefined) continue
    const [group, part] = known
    declared[group] = { ...declared[group], ...(part === undefined ? {} : { [part]: {} }) }
  }
  return declared
}

/** What a caller must be able to do for a question of a server; undefined where it is none that is passed on. */
export function abilityFor(method: string, { mode, tools, url }: JsonObject): string | undefined {
  if (method === 'elicitation/create' && mode === 'url') return isPage(url) ? 'elicitation.url' : undefined
  if (method === 'elicitation/create') return 'elicitation'
  if (method === 'sampling/createMessage') return tools === undefined ? 'sampling' : 'sampling.tools'
  return undefined
}

export const familyOf = (ability: string): string => ability.replace(/\..*$/, '')

/** Whoever asks a person to open something else wants a program to run or a file to be read. */
const isPage = (url: unknown): boolean => typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')
