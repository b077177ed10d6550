// What clients had active survives the process that served them, and processes beside it.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openActivations } from '../../../src/cli/core-activations.ts'
import { memoryLog } from '../runtime/fixture.ts'
import { scratchFolder } from './crow.ts'

const timeout = 20_000
const FILE = 'core-activations.json'

test('the next process finds it by the name of the client, and nobody else may read it', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const store = await openActivations(folder, memoryLog())
  await store.keep('desk', 'projects', true)
  await store.keep('desk', 'blog', true)
  await store.keep('desk', 'projects', true)
  await store.keep('__proto__', 'media', true)
  await store.keep('gone', 'media', true)
  await store.keep('gone', 'media', false)
  const next = await openActivations(folder, memoryLog())
  assert.deepEqual(
    ['desk', '__proto__', 'gone', 'new'].map((client) => next.recall(client)),
    [['blog', 'projects'], ['media'], [], []],
  )
  assert.equal(statSync(join(folder, FILE)).mode & 0o777, 0o600)
})

test('changes are kept in the order in which they were made, by processes side by side', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const stores = await Promise.all(Array.from({ length: 4 }, async () => await openActivations(folder, memoryLog())))
  await Promise.all(
    stores.flatMap((store, index) => [
      store.keep('desk', `server-${index}`, true),
      store.keep('desk', 'shared', true),
      store.keep('desk', 'shared', false),
      store.keep(`client-${index}`, 'blog', true),
    ]),
  )
  const next = await openActivations(folder, memoryLog())
  assert.deepEqual(next.recall('desk').toSorted(), ['server-0', 'server-1', 'server-2', 'server-3'])
  for (const index of stores.keys()) assert.deepEqual(next.recall(`client-${index}`), ['blog'])
})

test('the file stays small, whatever clients call themselves', { timeout }, async (t) => {
  const folder = scratchFolder(t)
  const store = await openActivations(folder, memoryLog())
  const long = '\u{1F426}'.repeat(5_000)
  for (let index = 0; index < 70; index++) await store.keep(`${index} ${long}`, 'blog', true)
  const next = await openActivations(folder, memoryLog())
  assert.deepEqual([next.recall(`5 ${long}`), next.recall(`69 ${long}`)], [[], ['blog']])
  assert.ok(readFileSync(join(folder, FILE), 'utf8').length < 16_384)
})

test('a file that is no such list is begun anew, one that cannot be read is told', { timeout }, async (t) => {
  for (const text of ['', '{', 'null', '{"client":1}', '[1,{"client":"desk","servers":[1]}]']) {
    const folder = scratchFolder(t)
    writeFileSync(join(folder, FILE), text)
    const store = await openActivations(folder, memoryLog())
    assert.deepEqual(store.recall('desk'), [])
    await store.keep('desk', 'blog', true)
    assert.equal(readFileSync(join(folder, FILE), 'utf8'), '[{"client":"desk","servers":["blog"]}]\n')
  }
  const folder = scratchFolder(t)
  mkdirSync(join(folder, FILE))
  const log = memoryLog()
  const store = await openActivations(folder, log)
  await store.keep('desk', 'blog', true)
  assert.deepEqual([store.recall('desk'), log.lines.length], [[], 2])
})
