// What the operator has said of one external server. Comes from the table of integrations or from `servers.json`; only the
// operator can change it.
import type { Target } from '../lib/link.ts'

export interface SourceSpec {
  /** `[a-z][a-z0-9-]{0,30}`: the first part of every name that it shows. */
  readonly id: string
  /** For people. */
  readonly title: string
  readonly target: Target
  /** Which list it stands in. */
  readonly origin: 'integration' | 'file'
  readonly enabled: boolean
  /** Original names. Undefined: all tools. */
  readonly allow: readonly string[] | undefined
  readonly deny: readonly string[]
  /** Original names of tools that the operator confirmed to only read; everything else counts as writing. */
  readonly reads: readonly string[]
  /** `client`: a connection for each client, where the server keeps state that is nobody else's business. */
  readonly isolation: 'shared' | 'client'
  /** `file:` URIs. Undefined: roots are not declared at all. */
  readonly roots: readonly string[] | undefined
  /** How long one call may be silent. */
  readonly timeoutMs: number
  /** By original name, where it differs. */
  readonly toolTimeoutsMs: Readonly<Record<string, number>>
  /** Stopped after so long without a call; 0 for never. */
  readonly idleMs: number
  /** Changes whenever anything above does. Secrets are part of what it stands for, not of its text. */
  readonly fingerprint: string
}

/** What is configured at this moment, whole; replaced, never changed. */
export interface SpecList {
  readonly specs: readonly SourceSpec[]
  /** One sentence for each entry that could not be read; the rest is served all the same. */
  readonly problems: readonly { readonly id: string; readonly message: string }[]
}
