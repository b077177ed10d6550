import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import BetterSqlite3 from 'better-sqlite3'
import { openDatabase } from '../../src/db/client.ts'
import { temporaryDatabase, temporaryFolder } from '../src/db/temporary.ts'
import { startChild } from './children.ts'

const options = { timeout: 20_000 }
const root = join(import.meta.dirname, '../..')
const script = join(import.meta.dirname, 'database-child.ts')

/** One sentence, or two: no stack, no list of paths. */
function assertClear(message: string, ...parts: readonly (string | RegExp)[]): void {
  assert.equal(message.split('\n').length, 1, message)
  assert.ok(message.length < 300, message)
  assert.match(message, /\.$/)
  for (const part of parts) {
    assert.ok(
      typeof part === 'string' ? message.includes(part) : part.test(message),
      `${message} lacks ${String(part)}`,
    )
  }
}

async function refusal(openOptions: Parameters<typeof openDatabase>[0]): Promise<{ code: unknown; message: string }> {
  try {
    const db = await openDatabase(openOptions)
    await db.close()
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error)
    return { code: error.code, message: error.message }
  }
  return assert.fail('it opened')
}

test('a folder that we may not write is named with its owner, our uid and the way out', options, async (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o555)
  const isRoot = process.getuid?.() === 0
  const child = startChild(script, [], isRoot ? { uid: 65_534, cwd: '/' } : {})
  t.after(() => child.end())
  const uid = isRoot ? 65_534 : process.getuid?.()
  for (const dataDir of [folder, join(folder, 'deeper', 'still')]) {
    const { error, message } = await child.ask({ do: 'open', dataDir })
    assert.equal(error, 'DATA_FOLDER_UNWRITABLE')
    assertClear(String(message), dataDir, `owner uid ${process.getuid?.()}`, `we run as uid ${uid}`, 'CROW_DATA_DIR')
  }
  assert.deepEqual(readdirSync(folder), [])
})

test('a database of another user is refused by the same sentence', options, async (t) => {
  const db = await temporaryDatabase(t)
  const folder = join(db.path, '..')
  const isRoot = process.getuid?.() === 0
  if (!isRoot) chmodSync(db.path, 0o400)
  chmodSync(folder, 0o755)
  const child = startChild(script, [], isRoot ? { uid: 65_534, cwd: '/' } : {})
  t.after(() => child.end())
  const { error, message } = await child.ask({ do: 'open', path: db.path })
  assert.equal(error, 'DATA_FOLDER_UNWRITABLE')
  assertClear(String(message), folder, /owner uid \d+/)
})

test('a path through a file, or a folder in the place of the file, is said to be just that', options, async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), 'text')
  mkdirSync(join(folder, 'crow.db'))
  for (const dataDir of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    const { code, message } = await refusal({ dataDir })
    assert.equal(code, 'DATA_FOLDER_INVALID')
    assertClear(message, dataDir, 'CROW_DATA_DIR')
  }
  const { code, message } = await refusal({ dataDir: folder })
  assert.equal(code, 'DATA_FOLDER_INVALID')
  assertClear(message, join(folder, 'crow.db'), 'not a file')
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'text')
})

test('a place where no folder can be made is named with the way out', options, async () => {
  const { code, message } = await refusal({ dataDir: '/proc/crow' })
  assert.match(String(code), /^(?:DATABASE_IO|DATA_FOLDER_UNWRITABLE)$/)
  assertClear(message, '/proc/crow', 'CROW_DATA_DIR')
})

test('a damaged file is refused and left as it is', options, async (t) => {
  const db = await temporaryDatabase(t)
  await db.close()
  const whole = readFileSync(db.path)
  const damaged = [Buffer.from('this is not a database, whatever its name says. '.repeat(200)), whole.subarray(0, 5000)]
  for (const bytes of damaged) {
    writeFileSync(db.path, bytes)
    const { code, message } = await refusal({ path: db.path })
    assert.equal(code, 'DATABASE_CORRUPT')
    assertClear(message, db.path)
    assert.deepEqual(readFileSync(db.path), bytes)
  }
})

test('a database of another program is refused and left as it is', options, async (t) => {
  const path = join(temporaryFolder(t), 'crow.db')
  new BetterSqlite3(path).exec('CREATE TABLE theirs (a)').close()
  const before = readFileSync(path)
  const { code, message } = await refusal({ path })
  assert.equal(code, 'DATABASE_UNKNOWN')
  assertClear(message, path)
  assert.deepEqual(readFileSync(path), before)
})

test('an empty file and a path with spaces and accents are as good as new', options, async (t) => {
  const folder = join(temporaryFolder(t), ' Données de café 数据 ')
  mkdirSync(folder)
  writeFileSync(join(folder, 'crow.db'), '')
  const db = await temporaryDatabase(t, { dataDir: folder })
  assert.ok(existsSync(`${db.path}-wal`))
})

test('a SQLite module that is missing or broken is one line that says what to run', options, async (t) => {
  const place = temporaryFolder(t)
  for (const part of ['src/db', 'src/lib', 'src/errors.ts', 'migrations', 'fast-drizzle.mjs', 'package.json']) {
    cpSync(join(root, part), join(place, part), { recursive: true })
  }
  const module = join(place, 'node_modules', 'better-sqlite3')
  cpSync(join(root, 'node_modules', 'better-sqlite3', 'lib'), join(module, 'lib'), { recursive: true })
  cpSync(join(root, 'node_modules', 'better-sqlite3', 'package.json'), join(module, 'package.json'))
  symlinkSync(join(root, 'node_modules', 'drizzle-orm'), join(place, 'node_modules', 'drizzle-orm'))
  const child = join(place, 'child.ts')
  const code = `import { openDatabase } from './src/db/client.ts'
    const told = (error) => console.log(JSON.stringify({ error: error.code, message: error.message }))
    await openDatabase({ dataDir: ${JSON.stringify(join(place, 'data'))} }).catch(told)`
  writeFileSync(child, code)
  const attempt = async (): Promise<void> => {
    const started = startChild(child)
    t.after(() => started.end())
    const { error, message } = await started.next()
    assert.equal(error, 'DATABASE_BINDING')
    assertClear(String(message), 'npm ci', process.versions.node)
  }
  await attempt()
  mkdirSync(join(module, 'build', 'Release'), { recursive: true })
  writeFileSync(join(module, 'build', 'Release', 'better_sqlite3.node'), 'not a library')
  await attempt()
  rmSync(module, { recursive: true })
})
