// What a profile comes to for one caller: how many tools are listed, and about how many tokens that is.
import type { Catalog } from '../runtime/catalog.ts'
import type { Caller } from '../runtime/context.ts'
import { bytesPerToken } from '../runtime/ledger/factors.ts'
import type { Profile } from '../runtime/profiles/profile.ts'
import { ROUTER } from '../runtime/router/router.ts'
import { directTokens } from '../runtime/router/shown.ts'

export interface ListedFor {
  readonly style: 'direct' | 'router'
  readonly tools: number
  /** About how many. */
  readonly tokens: number
  /** Of the same tools by their own names. */
  readonly directTokens: number
  /** Pins that are not listed: their tool is not there at the moment, or the scopes do not cover it. */
  readonly hiddenPins: readonly string[]
}

/** Undefined where there is no router. */
export function listedFor(catalog: Catalog, caller: Caller): ListedFor | undefined {
  const router = catalog.server(ROUTER)
  if (router?.profiled === undefined) return undefined
  const direct = directTokens(router.parts, caller)
  const isDirect = router.profiled.isDirect(caller)
  const names = new Set(router.listTools(caller).map(({ name }) => name))
  const routed = Math.ceil(Buffer.byteLength(router.toolsListJson(caller)) / bytesPerToken(ROUTER))
  return {
    style: isDirect ? 'direct' : 'router',
    tools: names.size,
    tokens: isDirect ? direct : routed,
    directTokens: direct,
    hiddenPins: router.profiled.profileOf(caller).pins.filter((pin) => !names.has(pin)),
  }
}

export function sentenceOf({ style, tools, tokens, directTokens: direct }: ListedFor): string {
  if (tools === 0) return 'It is not let in anywhere at the moment, so nothing is listed.'
  const listed = `${tools} tool${tools === 1 ? '' : 's'}, about ${tokens} tokens`
  return style === 'direct'
    ? `Listed by their own names: ${listed}.`
    : `Listed through one tool for each server: ${listed}; by their own names it would be about ${direct}.`
}

/** Mode, with what belongs to it. */
export const factsOf = ({ mode, budgetTokens, pins }: Profile) => ({
  mode,
  budgetTokens: mode === 'auto' ? budgetTokens : null,
  pins,
})
