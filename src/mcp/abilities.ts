// What a client can be asked, as one word that goes with its caller: others answer for a client only what it can be asked, and
// offer it only that.
import { isRecord } from '../lib/json.ts'
import type { Caller, ElicitChannel } from '../runtime/context.ts'
import { canElicit } from './envelope.ts'

const NAMES = ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools'] as const

/** By which of the four there are, as bits in their order. */
const WORDS: readonly (string | undefined)[] = Array.from({ length: 2 ** NAMES.length }, (_, bits) =>
  bits === 0 ? undefined : NAMES.filter((_name, index) => (bits & (1 << index)) !== 0).join(','),
)

const CHANNELS: ReadonlyMap<string | undefined, ElicitChannel> = new Map(
  WORDS.map((word) => {
    const names: readonly string[] = word?.split(',') ?? []
    const can = Object.freeze({ url: names.includes('elicitation.url'), sampling: names.includes('sampling') })
    return [word, Object.freeze({ supported: names.includes('elicitation'), can })]
  }),
)
const NOTHING: ElicitChannel = Object.freeze({ supported: false })

/** @param capabilities as a client declares them; undefined where it can be asked nothing */
export function abilitiesOf(capabilities: unknown): string | undefined {
  if (!isRecord(capabilities)) return undefined
  const { elicitation, sampling } = capabilities
  // Asked with every request of the newer era, so nothing is made for it.
  let bits = canElicit(capabilities) ? 1 : 0
  if (isRecord(elicitation) && elicitation['url'] !== undefined) bits |= 2
  if (sampling !== undefined) bits |= 4
  if (isRecord(sampling) && sampling['tools'] !== undefined) bits |= 8
  return WORDS[bits]
}

/** The channel of a client with these abilities, before anything was asked. */
export const channelOf = (abilities: string | undefined): ElicitChannel => CHANNELS.get(abilities) ?? NOTHING

const variants = new WeakMap<Caller, Map<string, Caller>>()

/** The same caller object for the same caller and abilities, so that what is kept for it is found again. */
export function callerWith(caller: Caller, abilities: string | undefined): Caller {
  if (abilities === caller.abilities) return caller
  if (abilities === undefined) return caller
  let known = variants.get(caller)
  if (known === undefined) variants.set(caller, (known = new Map()))
  let variant = known.get(abilities)
  if (variant === undefined) known.set(abilities, (variant = Object.freeze({ ...caller, abilities })))
  return variant
}
