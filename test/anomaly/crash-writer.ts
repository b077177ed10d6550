// Stores, corrects and deletes memories until it is killed: `crash-writer.ts <data folder> <name>`. Says each acknowledged
// uid in a line of its own; a line that is out before the commit would be a broken promise, and the test looks for just that.
import { openDatabase } from '../../src/db/client.ts'
import { memoryIndex } from '../../src/search/memory-index.ts'
import { indexScript } from '../../src/search/text-index.ts'
import { changeMemory, hideMemory, insertMemory } from '../../src/servers/memory/queries/memory-writes.ts'

const [dataDir = '', name = ''] = process.argv.slice(2)
const db = await openDatabase({ dataDir, repeatable: [indexScript(memoryIndex)] })
const plain = { category: 'general', context: null, source: name, importance: 5, projectId: null, instanceId: null }
const tags = ['a', 'b', 'c']
let stored = 0

async function lane(): Promise<never> {
  for (;;) {
    const count = ++stored
    const uid = `${name}-${count}`
    const content = `memory ${uid} ${'of many words '.repeat(count % 50)}`
    const id = await db.write(() => insertMemory(db, { ...plain, uid, content, tags }, count))
    process.stdout.write(`${JSON.stringify({ stored: uid })}\n`)
    if (count % 3 === 0) await db.write(() => changeMemory(db, id, { content: `corrected ${uid}` }, count))
    if (count % 5 === 0) await db.write(() => hideMemory(db, id, count))
  }
}

await Promise.all([lane(), lane(), lane(), lane()])
