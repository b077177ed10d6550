import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { headAndDifference, isSameText } from '../../../../../src/servers/memory/render/difference.ts'

const timeout = 10_000
const filler = (words: number): string => 'word '.repeat(words)

test('a text that fits is shown whole, on one line', { timeout }, () => {
  assert.equal(headAndDifference(' one\n two ', 'other', 20), 'one two')
})

test('of a long text its start and the part that differs are shown', { timeout }, () => {
  const other = `The key is rotated. ${filler(400)}It opens the north gate. ${filler(400)}end`
  const text = other.replace('north', 'southern')
  const shown = headAndDifference(text, other, 200)
  assert.match(shown, /^The key is rotated\. .* … .*opens the southern gate.* …$/)
  assert.ok(shown.length <= 210)
})

test('a difference at the end and one at the start are both shown', { timeout }, () => {
  const middle = filler(400)
  const shown = headAndDifference(`${filler(40)}Monday ${middle}noon.`, `${filler(40)}Friday ${middle}midnight.`, 200)
  assert.match(shown, / … .*Monday.* … .*noon\.$/)
})

test('a long text beside a short one is shown at both its ends', { timeout }, () => {
  const shown = headAndDifference(`Begin ${filler(400)}finish`, 'Begin', 200)
  assert.match(shown, /^Begin .* … .*finish$/)
})

test('whatever the texts are, the size is kept and no character is halved', { timeout }, () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u{1f33b}'), maxLength: 400 })
  fc.assert(
    fc.property(text, text, fc.integer({ min: 20, max: 80 }), (one, two, charsMax) => {
      const shown = headAndDifference(one, two, charsMax)
      assert.ok(shown.length <= charsMax + 8, shown)
      assert.ok(shown.isWellFormed())
      const pieces = shown.split(' … ').map((piece) => piece.replace(/ …$/, '').trim())
      const line = one.replaceAll(/\s+/g, ' ').trim()
      for (const piece of pieces) assert.ok(line.includes(piece), `${piece} of ${line}`)
    }),
    { numRuns: 500 },
  )
})

test('white space alone is no difference', { timeout }, () => {
  assert.equal(isSameText(' a\n b ', 'a b'), true)
  assert.equal(isSameText('a b', 'a  c'), false)
})
