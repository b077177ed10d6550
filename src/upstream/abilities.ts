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

export const abilitiesOf = ({ abilities = '' }: Caller & { readonly abilities?: string }): Abilities => abilities

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
