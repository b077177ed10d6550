// A database of a test's own, in a folder of its own, gone when the test ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import type { Database, OpenOptions } from '../../../src/db/client.ts'

type Test = Pick<TestContext, 'after'>
type Step = () => void | Promise<void>

const steps = new WeakMap<Test, Step[]>()

/** Runs `step` after the test, last one first: a folder is removed after the database in it is closed. */
function afterwards(t: Test, step: Step): void {
  const known = steps.get(t)
  if (known !== undefined) {
    known.push(step)
    return
  }
  const added = [step]
  steps.set(t, added)
  t.after(async () => {
    for (const each of added.toReversed()) await each()
  })
}

/** A new empty folder, removed after the test. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'crow-'))
  afterwards(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A freshly migrated database, closed and removed after the test. */
export async function temporaryDatabase(t: Test, options: OpenOptions = {}): Promise<Database> {
  const place = options.dataDir === undefined && options.path === undefined ? { dataDir: temporaryFolder(t) } : {}
  const db = await openDatabase({ ...place, ...options })
  afterwards(t, () => db.close())
  return db
}
