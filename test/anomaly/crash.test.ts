import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/db/client.ts'
import { temporaryFolder } from '../src/db/temporary.ts'
import { crashRepeatedly } from './crash.ts'
import { assertSound } from './soundness.ts'

const kills = Number(process.env['CROW_TEST_KILLS'] ?? 20)
const timeout = 60_000 + kills * 3000

test('whatever was acknowledged survives a kill, and nothing is stored by half', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const acknowledged = await crashRepeatedly({
    script: join(import.meta.dirname, 'crash-writer.ts'),
    dataDir,
    kills,
    async verify(stored) {
      const db = await openDatabase({ dataDir })
      try {
        const tagged = db.sqlite.prepare<[], [string, number]>(
          'SELECT uid, (SELECT count(*) FROM memory_tags WHERE memory_id = id) FROM memories',
        )
        const tags = new Map(tagged.raw().all())
        for (const uid of stored) assert.ok(tags.has(uid), `${uid} is lost`)
        for (const [uid, count] of tags) assert.equal(count, 3, `${uid} is stored by half`)
        await assertSound(db)
      } finally {
        await db.close()
      }
    },
  })
  t.diagnostic(`${acknowledged} writes acknowledged, ${kills} writers killed`)
  assert.ok(acknowledged >= kills)
})
