// The resources and prompts that are our own, by who asks.
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'

export type Content = Pick<CompiledServer, 'resources' | 'templates' | 'prompts'>

/** What this caller may see of a server's own: of a derived one, the content of its visible parts. */
export function contentOf(served: CompiledServer, caller: Caller): Content {
  if (!served.derived) return served
  const parts = served.parts.filter((part) => part.access(caller) !== 'none')
  return {
    resources: parts.flatMap((part) => part.resources),
    templates: parts.flatMap((part) => part.templates),
    prompts: parts.flatMap((part) => part.prompts),
  }
}

/** How much of an unknown name is said back. */
const NAME_SHOWN_MAX = 64

export const shortened = (name: string): string => name.slice(0, NAME_SHOWN_MAX).toWellFormed()
