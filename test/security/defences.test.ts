// Each switch still fits: its text stands exactly once in its file, and its test is there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEFENCES } from './defences.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test(
  'every switch of a defence fits its file exactly once, and names a test that is there',
  { timeout: 10_000 },
  () => {
    for (const { attack, file, text, without, tests, test: name } of DEFENCES) {
      assert.equal(read(file).split(text).length - 1, 1, `${attack}: in ${file}`)
      assert.notEqual(text, without, attack)
      const found = read(tests).split(`'${name}'`).length - 1
      assert.equal(found, 1, `${attack}: ${name} in ${tests}`)
    }
  },
)

test('every numbered attack has a defence that can be switched off', { timeout: 10_000 }, () => {
  const numbers = new Set(DEFENCES.map(({ attack }) => Number.parseInt(attack, 10)))
  for (const number of [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 27, 30, 31, 32, 34, 35, 36,
    37, 38,
  ])
    assert.ok(numbers.has(number), `attack ${number}`)
})
