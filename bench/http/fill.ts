// Fills a data folder with invented memories, through the same statements that store_memory uses.
import { join } from 'node:path'
import { openDatabase } from '../../src/db/client.ts'
import { createIds } from '../../src/lib/ids.ts'
import { memoryIndex } from '../../src/search/memory-index.ts'
import { indexScript } from '../../src/search/text-index.ts'
import { insertMemory } from '../../src/servers/memory/queries/memory-writes.ts'
import { type BenchMemory, benchMemories } from '../memories.ts'

const ROWS_PER_WRITE = 1_000
const MINUTE_MS = 60_000

/** Stores `count` memories, one minute apart, the last one now. */
export async function fillMemories(dataDir: string, count: number): Promise<void> {
  const db = await openDatabase({ path: join(dataDir, 'crow.db'), repeatable: [indexScript(memoryIndex)] })
  const ids = createIds()
  const startedAt = Date.now() - count * MINUTE_MS
  let stored = 0
  const store = async (rows: readonly BenchMemory[]): Promise<void> => {
    await db.write(() => {
      for (const row of rows) {
        const unplaced = { uid: ids.uid(), projectId: null, instanceId: null }
        insertMemory(db, { ...row, ...unplaced }, startedAt + stored++ * MINUTE_MS)
      }
    })
    if (stored % 10_000 === 0) process.stderr.write(`memory: ${stored} of ${count} stored\n`)
  }
  let rows: BenchMemory[] = []
  for (const memory of benchMemories(count)) {
    rows.push(memory)
    if (rows.length < ROWS_PER_WRITE) continue
    await store(rows)
    rows = []
  }
  await store(rows)
  await db.close()
}
