// What a JSON text holds is counted in its bytes, before anybody parses it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { excessOf } from '../../../plugins/armour/excess.ts'

const timeout = 30_000
const NAMES_MAX = 10_000
const VALUES_MAX = 100_000
const LEVELS_MAX = 512

const excess = (text: string): string | undefined => excessOf(Buffer.from(text))

const array = (count: number): string => `[${Array.from({ length: count }, () => '0').join(',')}]`
const members = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1])))
const nested = (levels: number): string => `${'['.repeat(levels)}${' '.repeat(1_024)}${']'.repeat(levels)}`

test('values, names and levels are refused one beyond their bound, and not before', { timeout }, () => {
  assert.equal(excess(array(VALUES_MAX)), undefined)
  assert.match(excess(array(VALUES_MAX + 1)) ?? '', /more than 100000 values/)
  assert.equal(excess(members(NAMES_MAX)), undefined)
  assert.match(excess(members(NAMES_MAX + 1)) ?? '', /more than 10000 names/)
  assert.equal(excess(nested(LEVELS_MAX)), undefined)
  assert.match(excess(nested(LEVELS_MAX + 1)) ?? '', /deeper than 512 levels/)
})

test('a name that comes again and again counts every time', { timeout }, () => {
  assert.match(excess(`{${'"a":1,'.repeat(NAMES_MAX)}"a":1}`) ?? '', /names/)
})

test('what stands inside of a text counts for nothing, however it is escaped', { timeout }, () => {
  const piece = fc.constantFrom(',', ':', '[', '{', ']', '}', '"', '\\', '\\"', '\n', 'x', 'é', '\u2028', '\ud800')
  const written = fc.array(
    fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join('')),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(written, (texts) => {
      const rest = VALUES_MAX - texts.length
      const zeros = Array.from({ length: rest }, () => '0').join(',')
      const quoted = texts.map((text) => `${JSON.stringify(text)},`).join('')
      assert.equal(excess(`[${quoted}${zeros}]`), undefined)
      assert.match(excess(`[${quoted}${zeros},0]`) ?? '', /values/)
    }),
    { numRuns: 40 },
  )
})

test('bytes that are no JSON end the count where they end', { timeout }, () => {
  for (const broken of [
    '"',
    '"\\',
    '"'.padEnd(5_000, '\\'),
    `"${'x'.repeat(5_000)}`,
    `"${'x'.repeat(5_000)}\\"`,
    ']'.repeat(5_000),
  ])
    assert.equal(excess(broken.padStart(6_000)), undefined)
})
