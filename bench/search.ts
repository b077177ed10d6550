// How fast memories are indexed and found: fills a database with invented memories, then asks the committed questions.
// Usage: node bench/search.ts [--memories 100000] [--data-dir DIR]   A folder that is already filled is used as it is.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openDatabase } from '../src/db/client.ts'
import type { Database } from '../src/db/client.ts'
import { memoryIndex } from '../src/search/memory-index.ts'
import { openSearcher } from '../src/search/searcher.ts'
import type { Searcher } from '../src/search/searcher.ts'
import { indexRow, indexScript } from '../src/search/text-index.ts'
import { benchMemories } from './memories.ts'
import type { BenchMemory } from './memories.ts'

/** Writes that share a commit, as those of sixteen callers at once do. */
const WRITES_PER_COMMIT = 16

function line(text: string): void {
  process.stdout.write(`${text}\n`)
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95, p99, worst] = [0.5, 0.95, 0.99, 1].map((share) => percentile(sorted, share).toFixed(2).padStart(8))
  line(`${what.padEnd(44)}${p50} ${p95} ${p99} ${worst}`)
}

function storeOne(db: Database, memory: BenchMemory, at: number): void {
  const { content, context, category, source, importance, tags } = memory
  const stored = db.sqlite
    .prepare(
      `INSERT INTO memories (uid, content, context, category, source, importance, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(crypto.randomUUID(), content, context, category, source, importance, at, at)
  const id = Number(stored.lastInsertRowid)
  for (const tag of tags) db.sqlite.prepare('INSERT INTO memory_tags (memory_id, tag) VALUES (?, ?)').run(id, tag)
  const fields = { content, context, category, source, tags: tags.toSorted().join(' ') }
  indexRow(db.sqlite, memoryIndex, id, { fields, importance, at })
}

/** Stores memories in commits of sixteen; returns milliseconds per commit. */
async function fill(db: Database, memories: Iterable<BenchMemory>): Promise<number[]> {
  const times: number[] = []
  let batch: BenchMemory[] = []
  let at = 1_700_000_000_000
  const commit = async (): Promise<void> => {
    const started = performance.now()
    await db.write(() => {
      for (const memory of batch) storeOne(db, memory, (at += 1000))
    })
    times.push(performance.now() - started)
    batch = []
  }
  for (const memory of memories) {
    batch.push(memory)
    if (batch.length === WRITES_PER_COMMIT) await commit()
  }
  if (batch.length > 0) await commit()
  return times
}

async function timed<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (const item of items) {
    const started = performance.now()
    await run(item)
    times.push(performance.now() - started)
  }
  return times
}

/** Sixteen callers that ask one after another; returns answers per second. */
async function together(searcher: Searcher, queries: readonly string[], rounds: number): Promise<number> {
  const started = performance.now()
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < queries.length * rounds) {
      await searcher.search(memoryIndex, { text: queries[next++ % queries.length] ?? '' })
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  return (queries.length * rounds * 1000) / (performance.now() - started)
}

function readQueries(): string[] {
  const parsed: unknown = JSON.parse(readFileSync(new URL('queries.json', import.meta.url), 'utf8'))
  return Array.isArray(parsed) ? parsed.map(String) : []
}

async function measure(db: Database, searcher: Searcher): Promise<void> {
  const queries = readQueries()
  for (const text of queries.slice(0, 20)) await searcher.search(memoryIndex, { text })
  line(`${''.padEnd(44)}     p50      p95      p99      max   (ms)`)
  report(
    `search, one caller, ${queries.length} queries`,
    await timed(queries, (text) => searcher.search(memoryIndex, { text })),
  )
  const filters = [{ sql: 'r.category = ?', params: ['decision'] }]
  report('search in one category', await timed(queries, (text) => searcher.search(memoryIndex, { text, filters })))
  const fresh = [...benchMemories(300, 77)]
  report(
    'near-duplicates',
    await timed(fresh, ({ content }) => searcher.nearDuplicates(memoryIndex, { text: content })),
  )
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const perSecond = await together(searcher, queries, 5)
  delay.disable()
  line(
    `search, sixteen callers: ${perSecond.toFixed(0)} a second, event-loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
  )
  report(`store, commits of ${WRITES_PER_COMMIT}`, await fill(db, benchMemories(3200, 99)))
}

const { values } = parseArgs({
  options: { memories: { type: 'string', default: '100000' }, 'data-dir': { type: 'string' } },
})
const dataDir = values['data-dir'] ?? mkdtempSync(join(tmpdir(), 'crow-bench-'))
const db = await openDatabase({ dataDir, repeatable: [indexScript(memoryIndex)] })
const searcher = openSearcher({ db, indexes: [memoryIndex] })
try {
  const rows = Number(db.sqlite.prepare('SELECT count(*) FROM memories').pluck().get())
  if (rows === 0) {
    const started = performance.now()
    await fill(db, benchMemories(Number(values.memories)))
    const perRow = (performance.now() - started) / Number(values.memories)
    line(`${values.memories} memories stored and indexed, ${perRow.toFixed(3)} ms each`)
  }
  await measure(db, searcher)
} finally {
  await searcher.close()
  await db.close()
  if (values['data-dir'] === undefined) rmSync(dataDir, { recursive: true, force: true })
}
