// Tokens of the lists of tools, counted. The tokenizer is large and loaded here only, when somebody asks.
import type { Catalog } from '../runtime/catalog.ts'
import { everyone } from '../runtime/compile-server.ts'

/** One list as a client gets it that may use everything. */
export interface ExactList {
  /** Id of the server; `all direct` for every tool listed by itself, together. */
  readonly mount: string
  readonly tools: number
  /** UTF-8 of the JSON array. */
  readonly bytes: number
  /** Of o200k_base. */
  readonly tokens: number
}

export async function exactLists({ servers }: Pick<Catalog, 'servers'>): Promise<ExactList[]> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  // What looks like a mark of the tokenizer is text like any other.
  const plain = { disallowedSpecial: new Set<string>() }
  const lists = servers.map((server) => ({
    mount: server.id,
    derived: server.derived,
    tools: server.listTools(everyone),
  }))
  const direct = lists.filter(({ derived }) => !derived).flatMap(({ tools }) => tools)
  return [...lists, { mount: 'all direct', tools: direct }].map(({ mount, tools }) => {
    const json = JSON.stringify(tools)
    return { mount, tools: tools.length, bytes: Buffer.byteLength(json), tokens: countTokens(json, plain) }
  })
}
