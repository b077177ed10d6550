// How well memories are found by whoever has only the tools: stores every turn of the dialogues with one tool, asks every question
// with another. Once with all dialogues in one database, once with a database for each.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../src/config.ts'
import { openGateway } from '../src/gateway.ts'
import { invoke } from '../src/runtime/invoke.ts'
import { count, readDialogues } from './retrieval-dialogues.ts'
import type { Dialogue, Tally, Turn } from './retrieval-dialogues.ts'
import type { Row } from './table.ts'

const RECALL_MIN = 0.54
const SESSION_MIN = 0.9
const caller = { id: 'bench', kind: 'cli', scopes: 'all' } as const

type Call = (tool: string, params: object) => Promise<string>

/** Runs the work with a gateway on an empty data folder; a call returns the text of the tool's reply. */
async function withGateway(work: (call: Call) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-retrieval-'))
  const gateway = await openGateway(loadConfig({}, { dataDir }))
  try {
    await work(async (tool, params) => {
      const outcome = await invoke(gateway.catalog, { caller, server: 'memory', tool, params })
      if (outcome.kind !== 'reply' || outcome.reply.isError === true) throw new Error(JSON.stringify(outcome))
      return outcome.reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    })
  } finally {
    await gateway.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function storeTurns(call: Call, dialogues: readonly Dialogue[]): Promise<Map<number, Turn>> {
  const stored = new Map<number, Turn>()
  for (const turn of dialogues.flatMap((dialogue) => dialogue.turns)) {
    const reply = await call('store_memory', { content: turn.content, context: turn.date })
    stored.set(Number(/\d+/.exec(reply)?.[0]), turn)
  }
  return stored
}

/** Stores all turns in one database, then asks all questions. */
async function measure(dialogues: readonly Dialogue[], tallies: Map<string, Tally>): Promise<void> {
  await withGateway(async (call) => {
    const stored = await storeTurns(call, dialogues)
    for (const { name, questions } of dialogues) {
      for (const question of questions) {
        const reply = await call('search_memories', { query: question.text, limit: 10 })
        const ids = [...reply.matchAll(/<memory id="?(\d+)/g)].map((match) => Number(match[1]))
        const found = ids.map((id) => stored.get(id)).filter((turn) => turn !== undefined)
        count(tallies, ['all', name, `category ${question.category}`], found, question)
      }
    }
  })
}

function rowsOf(mode: string, tallies: ReadonlyMap<string, Tally>): Row[] {
  return [...tallies]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([key, { questions, recall5, recall10, session5 }]): Row[] => {
      const of = (sum: number): string => (sum / questions).toFixed(3)
      const what = `${mode}, ${key} (${questions} questions)`
      const value = `turn recall@5 ${of(recall5)}, @10 ${of(recall10)}, session hit@5 ${of(session5)}`
      if (key !== 'all') return [{ what, value }]
      const bar = `≥ ${RECALL_MIN}, session ≥ ${SESSION_MIN}`
      return [{ what, value, bar, ok: recall5 / questions >= RECALL_MIN && session5 / questions >= SESSION_MIN }]
    })
}

/** @param folder dialogues with questions, see retrieval-dialogues.ts */
export async function retrievalSection(folder: string): Promise<Row[]> {
  const dialogues = readDialogues(folder)
  if (dialogues.length === 0) throw new Error(`there are no dialogues in ${folder}`)
  const shared = new Map<string, Tally>()
  await measure(dialogues, shared)
  const own = new Map<string, Tally>()
  for (const dialogue of dialogues) await measure([dialogue], own)
  return [...rowsOf('one database', shared), ...rowsOf('a database each', own)]
}
