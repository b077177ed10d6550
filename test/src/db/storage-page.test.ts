import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { walPagesMax } from '../../../src/db/client.ts'
import { writeLimits } from '../../../src/db/write-queue.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { indexScript } from '../../../src/search/text-index.ts'
import { temporaryDatabase } from './temporary.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/STORAGE.md'), 'utf8')

test(
  'the storage page has a row for every table, and none for a table that is not there',
  { timeout: 10_000 },
  async (t) => {
    const db = await temporaryDatabase(t, { repeatable: [indexScript(memoryIndex)] })
    const tables = db.sqlite
      .prepare<[], string>(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')`)
      .pluck()
      .all()
      .filter((name) => !name.startsWith('sqlite_'))
    const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] ?? '')
    assert.deepEqual(rows.toSorted(), tables.toSorted())
  },
)

test('the storage page states the bounds that hold', { timeout: 5000 }, () => {
  const { waitingMax, batchMax, batchMs, waitMs } = writeLimits
  assert.ok(page.includes(`| ${waitingMax.toLocaleString('en')}; one more is refused`))
  assert.ok(page.includes(`| ${batchMax}, or as many as run in ${batchMs} ms |`))
  assert.ok(page.includes(`| ${waitMs / 1000} s, then \`DATABASE_BUSY\` |`))
  assert.ok(page.includes(`| every ${walPagesMax.toLocaleString('en')} pages (${(walPagesMax * 4) / 1000} MB)`))
})
