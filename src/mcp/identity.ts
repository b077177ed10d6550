// What a mount says about itself when a client connects: name, version, capabilities, how long lists stay fresh.
import { VERSION } from '../lib/version.ts'
import type { CompiledServer } from '../runtime/compiled.ts'

/** How long a client may keep a list before it asks again, in milliseconds. Changes are announced to those who listen. */
export const LIST_TTL_MS = 60_000

/** What a client changes by its own calls it asks for again at once, whether it listens or not. */
export const listTtlOf = ({ listsMove }: CompiledServer): number => (listsMove === true ? 0 : LIST_TTL_MS)

/** The server as clients show it in their lists. */
export function identityOf(served: CompiledServer): { name: string; version: string; title?: string } {
  const name = `crow-${served.id}`
  return served.title === undefined ? { name, version: VERSION } : { name, version: VERSION, title: served.title }
}

/** The same for every caller and in both eras. An empty list is a better answer than an unknown method, so all three are declared. */
export function capabilitiesOf(served: CompiledServer) {
  const completable =
    served.hasSources || served.prompts.some((prompt) => prompt.complete !== undefined) || served.templates.length > 0
  return {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    ...(completable ? { completions: {} } : {}),
  }
}
