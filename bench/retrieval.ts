// How well memories are found: reads dialogues with questions whose answers are known, stores each turn as a memory, and asks.
// Usage: node bench/retrieval.ts FOLDER, where FOLDER holds pairs of tab-separated files
//   NAME.turns.tsv  turn id, session, date, speaker, text      NAME.qa.tsv  category, question, ids of the turns that answer it

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/db/client.ts'
import type { Database } from '../src/db/client.ts'
import { memoryIndex } from '../src/search/memory-index.ts'
import { createRanker } from '../src/search/ranker.ts'
import { indexRow, indexScript } from '../src/search/text-index.ts'

interface Turn {
  readonly id: string
  readonly date: string
  readonly content: string
}

interface Question {
  readonly category: string
  readonly text: string
  readonly evidence: ReadonlySet<string>
}

interface Tally {
  questions: number
  recall5: number
  recall10: number
  session5: number
}

function lines(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t'))
}

function readTurns(path: string): Turn[] {
  return lines(path).map(([id = '', , date = '', speaker = '', ...text]) => ({
    id,
    date,
    content: `${speaker}: ${text.join(' ')}`,
  }))
}

function readQuestions(path: string, known: ReadonlySet<string>): Question[] {
  return lines(path)
    .map(([category = '', text = '', evidence = '']) => ({
      category,
      text,
      evidence: new Set(evidence.split(/[\s,;]+/).filter((id) => known.has(id))),
    }))
    .filter((question) => question.evidence.size > 0 && ['1', '2', '3', '4'].includes(question.category))
}

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

function share(found: readonly Turn[], evidence: ReadonlySet<string>): number {
  return found.filter((turn) => evidence.has(turn.id)).length / evidence.size
}

function addTo(
  tallies: Map<string, Tally>,
  key: string,
  found: readonly Turn[],
  question: Question,
  sessions: ReadonlySet<string>,
): void {
  const tally = tallies.get(key) ?? { questions: 0, recall5: 0, recall10: 0, session5: 0 }
  tallies.set(key, tally)
  tally.questions++
  tally.recall5 += share(found.slice(0, 5), question.evidence)
  tally.recall10 += share(found.slice(0, 10), question.evidence)
  if (found.slice(0, 5).some((turn) => sessions.has(turn.date))) tally.session5++
}

async function measure(folder: string, name: string, tallies: Map<string, Tally>): Promise<void> {
  const turns = readTurns(join(folder, `${name}.turns.tsv`))
  const questions = readQuestions(join(folder, `${name}.qa.tsv`), new Set(turns.map((turn) => turn.id)))
  const dataDir = mkdtempSync(join(tmpdir(), 'crow-retrieval-'))
  const db = await openDatabase({ dataDir, repeatable: [indexScript(memoryIndex)] })
  try {
    const stored = await store(db, turns)
    const ranker = createRanker(db.sqlite, memoryIndex)
    for (const question of questions) {
      const hits = ranker.rank(question.text, []).hits.slice(0, 10)
      const found = hits.map((hit) => stored.get(hit.id)).filter((turn) => turn !== undefined)
      const sessions = new Set(turns.filter((turn) => question.evidence.has(turn.id)).map((turn) => turn.date))
      for (const key of ['all', name, `category ${question.category}`]) addTo(tallies, key, found, question, sessions)
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
  const names = readdirSync(folder).filter((file) => file.endsWith('.turns.tsv'))
  for (const file of names.toSorted()) await measure(folder, file.slice(0, -'.turns.tsv'.length), tallies)
  print(tallies)
}
