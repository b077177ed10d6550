// `npm run tokens`, first half: how many bytes a token of o200k has, by mount, in lists of tools and in replies: what the context ledger estimates with.
// Written to src/runtime/ledger/factors.ts, which a test compares.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Catalog } from '../src/runtime/catalog.ts'
import { everyone } from '../src/runtime/compile-server.ts'
import { invoke } from '../src/runtime/invoke.ts'
import { ROUTER } from '../src/runtime/router/router.ts'
import { memoryRoom } from '../test/src/servers/memory/room.ts'
import { ROOT } from '../test/tidy/source.ts'
import { benchMemories } from './memories.ts'
import { measureTokens, surfaceCatalog } from './tokens.ts'

export const FACTORS_FILE = 'src/runtime/ledger/factors.ts'
const SEED = 7
const MEMORIES = 40

export interface Factors {
  readonly lists: ReadonlyMap<string, number>
  readonly replies: ReadonlyMap<string, number>
  /** Of all direct lists together. */
  readonly list: number
  /** Of all measured replies together. */
  readonly reply: number
}

interface Measured {
  readonly bytes: number
  readonly tokens: number
}

const sumOf = (parts: readonly Measured[]): Measured => ({
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
})
/** Never more than it is, so that what is reckoned with it is never less. */
const factorOf = ({ bytes, tokens }: Measured): number => Math.floor((bytes / tokens) * 100) / 100
/** Replies depend on what is asked and stored, so more digits would say nothing. */
const coarseFactorOf = ({ bytes, tokens }: Measured): number => Math.round((bytes / tokens) * 10) / 10
const measured = (text: string): Measured => ({ bytes: Buffer.byteLength(text), tokens: countTokens(text) })

export async function measureFactors(): Promise<Factors> {
  const { lists } = measureTokens()
  const router = sumOf(await routerReplies(surfaceCatalog()))
  const memory = sumOf(await memoryReplies())
  return {
    lists: new Map(lists.map((list) => [list.name, factorOf(list)])),
    replies: new Map([
      ['memory', coarseFactorOf(memory)],
      [ROUTER, coarseFactorOf(router)],
    ]),
    list: factorOf(sumOf(lists.filter(({ name }) => name !== ROUTER))),
    reply: coarseFactorOf(sumOf([memory, router])),
  }
}

async function replyOf(catalog: Catalog, server: string, tool: string, params: unknown): Promise<Measured> {
  const outcome = await invoke(catalog, { caller: everyone, server, tool, params })
  if (outcome.kind !== 'reply') throw new Error(`${tool} gave ${outcome.kind}`)
  return sumOf(outcome.reply.content.map((block) => measured(block.type === 'text' ? block.text : '')))
}

/** What looking around costs, and a call without its parameters: every category, every schema, every action. */
async function routerReplies(catalog: Catalog): Promise<Measured[]> {
  const replies: Measured[] = []
  const ask = async (tool: string, params: object): Promise<void> => {
    replies.push(await replyOf(catalog, ROUTER, tool, params))
  }
  await ask('crow_discover', {})
  for (const server of catalog.servers.filter(({ derived }) => !derived)) {
    await ask('crow_discover', { category: server.id })
    for (const { name, declaration } of server.tools) {
      await ask('crow_discover', { category: server.id, action: name })
      await ask('crow_discover', { query: declaration.summary })
      await ask(`crow_${server.id}`, { action: name, params: { unheard_of: 1 } })
    }
  }
  return replies
}

/** The examples of every tool that keeps nothing secret in its reply, over some memories. */
async function memoryReplies(): Promise<Measured[]> {
  const ends: (() => unknown)[] = []
  const room = await memoryRoom({ after: (end: () => unknown) => void ends.push(end) })
  try {
    for (const memory of benchMemories(MEMORIES, SEED)) await room.store(memory)
    const replies: Measured[] = []
    for (const { name, effect, declaration } of room.catalog.server('memory')?.tools ?? []) {
      if (effect === 'destroy') continue
      for (const example of declaration.examples ?? [])
        replies.push(await replyOf(room.catalog, 'memory', name, example))
    }
    return replies
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

const entries = (factors: ReadonlyMap<string, number>): string[] =>
  [...factors].map(([mount, factor]) => `  ['${mount}', ${factor}],`)

/** The file, as it should be. */
export function factorsFile({ lists, replies, list, reply }: Factors): string {
  return [
    '// Made by `npm run tokens`; a test compares it. How many bytes of UTF-8 a token of o200k_base has, measured.',
    '',
    'const LISTS: ReadonlyMap<string, number> = new Map([',
    ...entries(lists),
    '])',
    '/** Of all direct lists together. */',
    `const DIRECT = ${list}`,
    '/** A list that nobody measured is taken for the densest that was. */',
    'const DENSEST = Math.min(...LISTS.values())',
    '',
    'const REPLIES: ReadonlyMap<string, number> = new Map([',
    ...entries(replies),
    '])',
    '/** Of all replies together. */',
    `const REPLY = ${reply}`,
    '',
    '/** Of the list of this server; without one, of all direct lists together. */',
    'export const bytesPerToken = (mountId?: string): number =>',
    '  mountId === undefined ? DIRECT : (LISTS.get(mountId) ?? DENSEST)',
    '',
    '/** Of what is answered to calls at this server. */',
    'export const replyBytesPerToken = (mountId: string): number => REPLIES.get(mountId) ?? REPLY',
    '',
  ].join('\n')
}

if (import.meta.main) {
  writeFileSync(join(ROOT, FACTORS_FILE), factorsFile(await measureFactors()))
  process.stdout.write(`written: ${FACTORS_FILE}\n`)
}
