// A process that opens databases and writes to them on request: one JSON request a line in, one JSON answer a line out.
import { createInterface } from 'node:readline'
import BetterSqlite3 from 'better-sqlite3'
import { openDatabase } from '../../src/db/client.ts'
import type { Database, OpenOptions } from '../../src/db/client.ts'
import { takeLease } from '../../src/db/leases.ts'
import { openReader } from '../../src/db/reader.ts'

interface Requests {
  open: OpenOptions
  close: object
  /** `lanes` loops that read a counter and write it back, `writes` times in all. */
  count: { readonly writes: number; readonly lanes: number }
  /** Holds the write lock on a connection of its own for `ms`. */
  hold: { readonly path: string; readonly ms: number }
  /** Writes two rows at a time until something fails; says how many pairs were acknowledged, what is stored, what went wrong. */
  fill: { readonly path: string }
  lease: { readonly name: string; readonly holder: string; readonly now: number }
}

let db: Database | undefined

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

function opened(): Database {
  if (db === undefined) throw new Error('nothing is open')
  return db
}

function describe(error: unknown): object {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return { error: code ?? 'UNKNOWN', message: error instanceof Error ? error.message : String(error) }
}

async function count({ writes, lanes }: Requests['count']): Promise<object> {
  const database = opened()
  const read = database.sqlite.prepare<[], number>(`SELECT value FROM settings WHERE key = 'counter'`).pluck()
  const bump = database.sqlite.prepare(`UPDATE settings SET value = ? WHERE key = 'counter'`)
  const note = database.sqlite.prepare(
    `INSERT INTO audit (at, caller, server, tool, effect, outcome) VALUES (?, ?, '', '', '', '')`,
  )
  const failures: object[] = []
  let left = writes
  let worstMs = 0
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const started = performance.now()
      const work = (): void => {
        bump.run(String(Number(read.get()) + 1))
        note.run(left, process.pid)
      }
      await database.write(work).catch((error: unknown) => failures.push(describe(error)))
      worstMs = Math.max(worstMs, performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { failures, worstMs }
}

function hold({ path, ms }: Requests['hold']): object {
  const holder = new BetterSqlite3(path, { timeout: 10_000 })
  holder.exec('BEGIN IMMEDIATE')
  setTimeout(() => {
    holder.exec('COMMIT').close()
    say({ released: true })
  }, ms)
  return { held: true }
}

async function fillUp(path: string): Promise<{ readonly acknowledged: number; readonly error: unknown }> {
  let acknowledged = 0
  try {
    db = await openDatabase({ path })
    const put = db.sqlite.prepare('INSERT INTO settings VALUES (?, ?, 1)')
    for (let id = 1; id <= 10_000; id++) {
      await db.write(() => {
        put.run(`${id}-head`, 'x'.repeat(3000))
        put.run(`${id}-tail`, 'x'.repeat(3000))
      })
      acknowledged++
    }
    return { acknowledged, error: undefined }
  } catch (error) {
    return { acknowledged, error }
  }
}

async function fill({ path }: Requests['fill']): Promise<object> {
  const { acknowledged, error } = await fillUp(path)
  if (db === undefined) return { acknowledged, ...describe(error) }
  await db.close()
  const reader = openReader(path)
  const stored = reader.prepare('SELECT count(*) FROM settings').pluck().get()
  const integrity = reader.pragma('integrity_check', { simple: true })
  reader.close()
  return { acknowledged, stored, integrity, ...describe(error) }
}

const handlers: { readonly [Kind in keyof Requests]: (request: Requests[Kind]) => object | Promise<object> } = {
  async open(options) {
    db = await openDatabase(options)
    return { opened: db.path }
  },
  async close() {
    await opened().close()
    return { closed: true }
  },
  count,
  hold,
  fill,
  async lease({ name, holder, now }) {
    return { taken: await takeLease(opened(), { name, holder, ttlMs: 60_000 }, now) }
  },
}

async function serve<Kind extends keyof Requests>(request: { readonly do: Kind } & Requests[Kind]): Promise<void> {
  const { do: kind, ...rest } = request
  const handle: (request: Requests[Kind]) => object | Promise<object> = handlers[kind]
  try {
    say(await handle(request))
  } catch (error) {
    say({ ...describe(error), asked: rest })
  }
}

for await (const line of createInterface({ input: process.stdin })) await serve(JSON.parse(line))
