// The generated pages say what the code says, and the tables they come from are whole.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatePages } from '../../src/cli/commands/docs.ts'
import { errorCodes } from '../../src/lib/error-codes.ts'
import { declaredCatalog } from '../../src/cli/declared.ts'
import { isToolCode } from '../../src/runtime/codes.ts'
import { diffLocks } from '../../src/runtime/lock-diff.ts'
import { buildLock, parseLock } from '../../src/runtime/lock.ts'
import { integrations } from '../../src/upstream/integrations.ts'
import { ROOT, sources } from '../tidy/source.ts'

const timeout = 60_000

test('the generated pages are fresh', { timeout }, async () => {
  for (const [name, text] of Object.entries(await generatePages())) {
    const isFresh = readFileSync(join(ROOT, 'docs', name), 'utf8') === text
    assert.ok(isFresh, `docs/${name} is stale: npm run docs`)
  }
})

test('the capability lock is fresh', { timeout }, () => {
  const lock = parseLock(readFileSync(join(ROOT, 'crow.lock.json'), 'utf8'))
  assert.deepEqual(diffLocks(lock, buildLock(declaredCatalog())), [], 'if the change is meant: npm run lock')
})

/** Upper-case words in the code that are no codes of failures: names of other people's, of the environment, of SQL. */
const FOREIGN =
  /^(SQLITE_|EAI_|FST_ERR_|ERR_|HPE_|CROW_|XDG_|CORS_ALLOWED_ORIGINS$|MODULE_NOT_FOUND$|NODE_ENV$|YOUR_TOKEN$)/

/** Of the integrations. */
const variables = new Set(integrations.flatMap((one) => one.variables))

test('every code of a failure is in the table, and every code of the table is used', { timeout }, () => {
  const used = new Set(
    sources('src', 'plugins')
      .filter(({ path }) => path !== 'src/lib/error-codes.ts')
      .flatMap(({ text }) => [...text.matchAll(/'([A-Z][A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code = '']) => code))
      .filter((code) => !FOREIGN.test(code) && !isToolCode(code) && !variables.has(code)),
  )
  assert.deepEqual([...used].filter((code) => !(code in errorCodes)).toSorted(), [])
  const text = sources('src', 'plugins')
    .filter(({ path }) => path !== 'src/lib/error-codes.ts')
    .map((file) => file.text)
    .join('\n')
  assert.deepEqual(
    Object.keys(errorCodes).filter((code) => !text.includes(`'${code}'`)),
    [],
  )
})
