// How well the index finds turns of dialogues, each dialogue in an index of its own: quick, for trying changes of the ranking.
// Usage: node bench/retrieval.ts FOLDER (see retrieval-dialogues.ts). What clients see is measured by retrieval-tools.ts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/db/client.ts'
import type { Database } from '../src/db/client.ts'
import { memoryIndex } from '../src/search/memory-index.ts'
import { createRanker } from '../src/search/ranker.ts'
import { indexRow, indexScript } from '../src/search/text-index.ts'
import { count, readDialogues } from './retrieval-dialogues.ts'
import type { Dialogue, Tally, Turn } from './retrieval-dialogues.ts'

async function store(db: Database, turns: readonly Turn[]): Promise<Map<number, Turn>> {
  const stored = new Map<number, Turn>()
  const insert = db.sqlite.prepare<[string, string, string, number, number]>(
    'INSERT INTO memories (uid, content, context, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  await db.write((tx) => {
    for (const [at, turn] of turns.entries()) {
      const id = Number(insert.run(`turn-${at}`, turn.content, turn.date, at, at).lastInsertRowid)
      indexRow(tx.sqlite, memoryIndex, id, {
        fields: { content: turn.content, context: turn.date, category: 'general' },
        importance: 5,
        at,
      })
      stored.set(id, turn)
    }
  })
  return stored
}

async function measure({ name, turns, questions }: Dialogue, tallies: Map<string, Tally>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-retrieval-'))
  const db = await openDatabase({ dataDir, repeatable: [indexScript(memoryIndex)] })
  try {
    const stored = await store(db, turns)
    const ranker = createRanker(db.sqlite, memoryIndex)
    for (const question of questions) {
      const hits = ranker.rank(question.text, []).hits.slice(0, 10)
      const found = hits.map((hit) => stored.get(hit.id)).filter((turn) => turn !== undefined)
      count(tallies, ['all', name, `category ${question.category}`], found, question)
    }
  } finally {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function print(tallies: ReadonlyMap<string, Tally>): void {
  process.stdout.write('                questions  recall@5  recall@10  session hit@5\n')
  for (const [key, tally] of [...tallies].toSorted(([a], [b]) => a.localeCompare(b))) {
    const mean = (sum: number): string => (sum / tally.questions).toFixed(3).padStart(9)
    const row = `${key.padEnd(16)}${String(tally.questions).padStart(9)} ${mean(tally.recall5)}  ${mean(tally.recall10)}      ${mean(tally.session5)}`
    process.stdout.write(`${row}\n`)
  }
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: node bench/retrieval.ts FOLDER\n')
  process.exitCode = 64
} else {
  const tallies = new Map<string, Tally>()
  for (const dialogue of readDialogues(folder)) await measure(dialogue, tallies)
  print(tallies)
}
