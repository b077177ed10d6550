// `npm run tokens`: what the lists of tools cost, in tokens of o200k, over the whole surface; written to docs/TOKENS.md, which a
// test compares. Growth beyond GROWTH_MAX needs a reason: npm run tokens -- --note "why".
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { compileCatalog, type Catalog } from '../src/runtime/catalog.ts'
import { everyone } from '../src/runtime/compile-server.ts'
import { createToolIndex } from '../src/search/tool-index.ts'
import { surface } from '../test/fixtures/surface/index.ts'
import { ROOT } from '../test/tidy/source.ts'

export const TOKENS_PAGE = 'docs/TOKENS.md'
/** What the product itself reckons with. */
/** Share of the router's list by which it may grow without a word. */
export const GROWTH_MAX = 0.03
/** What the reference product announces per tool, as measured. */
export const REFERENCE_PER_TOOL = 158

export interface TokenFigures {
  readonly actions: number
  /** Tokens of `tools/list` of the router, whole. */
  readonly router: number
  /** Tokens of all direct lists together. */
  readonly direct: number
  /** Tools and tokens of each list. */
  readonly lists: readonly {
    readonly name: string
    readonly tools: number
    readonly tokens: number
    readonly bytes: number
  }[]
}

const tokensOf = (value: unknown): number => encode(JSON.stringify(value)).length

/** The catalog that is measured: every server there is, inert. */
export const surfaceCatalog = (): Catalog =>
  compileCatalog(surface, { availableNeeds: ['blobs'], router: { makeIndex: createToolIndex } })

export function measureTokens(): TokenFigures {
  const catalog = surfaceCatalog()
  const lists = catalog.servers.map((server) => {
    const tools = server.listTools(everyone)
    return {
      name: server.id,
      tools: server.derived ? tools.length : server.tools.length,
      tokens: tokensOf(tools),
      bytes: Buffer.byteLength(server.toolsListJson(everyone)),
    }
  })
  const router = lists.find(({ name }) => name === 'router')?.tokens ?? 0
  const direct = lists.reduce((sum, { tokens }) => sum + tokens, -router)
  return { actions: catalog.counts().core, router, direct, lists }
}

const share = (part: number): string => `${(part * 100).toFixed(1)} %`

/** @param notes why it grew, oldest first */
export function tokensPage(figures: TokenFigures, notes: readonly string[]): string {
  const { actions, router, direct, lists } = figures
  const rows = lists.map(
    ({ name, tools, tokens, bytes }) =>
      `| ${name} | ${tools} | ${tokens} | ${(tokens / tools).toFixed(1)} | ${(bytes / tokens).toFixed(2)} |`,
  )
  return [
    '# What lists of tools cost',
    '',
    'Made by `npm run tokens`; a test compares it. Tokens of o200k_base over the JSON of `tools/list`, measured on the full surface:',
    `${actions} actions, declared without their effects.`,
    '',
    '| what | tokens |',
    '| --- | --- |',
    `| router, whole list | ${router} |`,
    `| router, per action | ${(router / actions).toFixed(2)} |`,
    `| direct lists together | ${direct} |`,
    `| direct, per tool | ${(direct / actions).toFixed(1)} |`,
    `| saved against ${REFERENCE_PER_TOOL} a tool | ${share(1 - router / actions / REFERENCE_PER_TOOL)} |`,
    `| saved against our own direct lists | ${share(1 - router / direct)} |`,
    '',
    '| list | tools | tokens | a tool | bytes a token |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## Why it grew',
    '',
    ...(notes.length === 0 ? ['It has not.'] : notes.map((note) => `- ${note}`)),
    '',
  ].join('\n')
}

/** What the page says now; undefined when there is none. */
export function readPage():
  | { readonly text: string; readonly router: number; readonly notes: readonly string[] }
  | undefined {
  let text: string
  try {
    text = readFileSync(join(ROOT, TOKENS_PAGE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const router = Number(/^\| router, whole list \| (\d+) \|$/m.exec(text)?.[1] ?? Number.NaN)
  const notes = [...text.slice(text.indexOf('## Why it grew')).matchAll(/^- (.*)$/gm)].map(([, note = '']) => note)
  return { text, router, notes }
}

if (import.meta.main) {
  const figures = measureTokens()
  const before = readPage()
  const at = process.argv.indexOf('--note')
  const note = at === -1 ? undefined : process.argv[at + 1]
  const grown = before === undefined ? 0 : figures.router / before.router - 1
  if (grown > GROWTH_MAX && note === undefined) {
    process.stderr.write(`The router's list grew by ${share(grown)}. Say why: npm run tokens -- --note "why"\n`)
    process.exitCode = 1
  } else {
    const notes = [
      ...(before?.notes ?? []),
      ...(note === undefined ? [] : [`${before?.router ?? 0} to ${figures.router}: ${note}`]),
    ]
    writeFileSync(join(ROOT, TOKENS_PAGE), tokensPage(figures, notes))
    process.stdout.write(`written: ${TOKENS_PAGE}, ${(figures.router / figures.actions).toFixed(2)} tokens an action\n`)
  }
}
