import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/db/client.ts'
import { temporaryFolder } from '../src/db/temporary.ts'
import { crashRepeatedly } from './crash.ts'

const kills = Number(process.env['CROW_TEST_KILLS'] ?? 20)

test(
  'whatever was acknowledged survives a kill, and nothing is stored by half',
  { timeout: 30_000 + kills * 2000 },
  async (t) => {
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
          assert.equal(db.sqlite.pragma('integrity_check', { simple: true }), 'ok')
          assert.deepEqual(db.sqlite.pragma('foreign_key_check'), [])
        } finally {
          await db.close()
        }
      },
    })
    assert.ok(acknowledged >= kills, `${acknowledged} writes`)
  },
)
