// Stores memories with three tags each until it is killed: `crash-writer.ts <data folder> <name>`. Says each acknowledged
// uid in a line of its own; a line that is out before the commit would be a broken promise, and the test looks for just that.
import { openDatabase } from '../../src/db/client.ts'

const [dataDir = '', name = ''] = process.argv.slice(2)
const db = await openDatabase({ dataDir })
const memory = db.sqlite.prepare(`INSERT INTO memories (uid, content, created_at, updated_at) VALUES (?, ?, 1, 1)`)
const tag = db.sqlite.prepare(`INSERT INTO memory_tags (memory_id, tag) VALUES (?, ?)`)
let stored = 0

async function lane(): Promise<never> {
  for (;;) {
    const uid = `${name}-${++stored}`
    await db.write(() => {
      const { lastInsertRowid } = memory.run(uid, 'words '.repeat(1 + (stored % 400)))
      for (const label of ['a', 'b', 'c']) tag.run(lastInsertRowid, label)
    })
    process.stdout.write(`${JSON.stringify({ stored: uid })}\n`)
  }
}

await Promise.all([lane(), lane(), lane(), lane()])
