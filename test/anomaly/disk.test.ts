import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDatabase, temporaryFolder } from '../src/db/temporary.ts'
import { startChild } from './children.ts'

const script = join(import.meta.dirname, 'database-child.ts')
const options = { timeout: 30_000 }

/** Programs under which a process finds only `kilobytes` for its files in `folder`. */
function smallDisks(folder: string, kilobytes: number): (readonly string[])[] {
  const limited = ['sh', '-c', `trap '' XFSZ; ulimit -f ${kilobytes * 2}; exec "$@"`, '-']
  const mount = `mount -t tmpfs -o size=${kilobytes}k none '${folder}' &&`
  const mounted = (rest: string): string[] => ['unshare', '-rm', 'sh', '-c', `${mount} ${rest}`, '-']
  const [program = '', ...args] = mounted('true')
  return spawnSync(program, args).status === 0 ? [limited, mounted('exec "$@"')] : [limited]
}

test(
  'a full database refuses the write in one sentence, keeps what it had, and goes on when there is room',
  options,
  async (t) => {
    const db = await temporaryDatabase(t)
    const put = (key: string) =>
      db.write((tx) => {
        tx.sqlite.prepare('INSERT INTO settings VALUES (?, ?, 1)').run(`${key}-head`, 'x'.repeat(50_000))
        tx.sqlite.prepare('INSERT INTO settings VALUES (?, ?, 1)').run(`${key}-tail`, 'x'.repeat(50_000))
      })
    const pages = Number(db.sqlite.pragma('page_count', { simple: true }))
    db.sqlite.pragma(`max_page_count = ${pages + 60}`)
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(put))
    const stored = db.sqlite.prepare('SELECT count(*) FROM settings').pluck().get()
    assert.equal(stored, 2 * results.filter((result) => result.status === 'fulfilled').length)
    const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    assert.ok(refused.length > 0)
    for (const reason of refused) {
      assert.equal(reason.code, 'DATABASE_FULL')
      assert.match(reason.message, /^The disk is full, so nothing of this was stored; free some space and try again\.$/)
    }
    db.sqlite.pragma('max_page_count = 1000000')
    await put('later')
  },
)

test('a disk that fills up loses nothing that was acknowledged and stores nothing by half', options, async (t) => {
  for (const under of smallDisks(temporaryFolder(t), 700)) {
    const folder = under.join(' ').match(/none '(.*?)'/)?.[1] ?? temporaryFolder(t)
    const child = startChild(script, [], { under })
    t.after(() => child.end())
    const answer = await child.ask({ do: 'fill', path: join(folder, 'crow.db') })
    assert.match(String(answer['error']), /^DATABASE_(?:FULL|IO)$/, String(answer['message']))
    assert.ok(Number(answer['acknowledged']) > 0)
    assert.equal(answer['stored'], 2 * Number(answer['acknowledged']))
    assert.equal(answer['integrity'], 'ok')
  }
})

test('a start on a full disk says in one sentence which folder and what to do', options, async (t) => {
  for (const under of smallDisks(temporaryFolder(t), 48)) {
    const folder = under.join(' ').match(/none '(.*?)'/)?.[1] ?? temporaryFolder(t)
    const child = startChild(script, [], { under })
    t.after(() => child.end())
    const answer = await child.ask({ do: 'open', path: join(folder, 'crow.db') })
    assert.match(String(answer['error']), /^DATABASE_(?:FULL|IO)$/)
    const message = String(answer['message'])
    assert.ok(message.includes(folder), message)
    assert.match(message, /CROW_DATA_DIR/)
    assert.equal(message.split('\n').length, 1)
  }
})
