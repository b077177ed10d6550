// Lines of a pipe, however the bytes arrive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LineReader } from '../../../src/lib/line-reader.ts'

const timeout = 20_000
const BYTES_MAX = 40

/** Reads bytes that arrive in pieces of these lengths, over and over. */
function read(bytes: Buffer, lengths: readonly number[], ends = false): string[] {
  const reader = new LineReader(BYTES_MAX)
  const found: string[] = []
  let start = 0
  for (let turn = 0; start < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    for (const line of reader.read(bytes.subarray(start, start + length)))
      found.push(line.kind === 'text' ? line.text : `(${line.kind})`)
    start += length
  }
  if (ends) for (const line of reader.end()) found.push(line.kind === 'text' ? line.text : `(${line.kind})`)
  return found
}

test('lines are the same in whatever pieces they come, and a line that never ends is none', { timeout }, () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Buffer.from(text.replaceAll(/\s/g, '_'))),
    fc.constant(Buffer.from([0x22, 0xff, 0x22])),
    fc.constant(Buffer.alloc(BYTES_MAX + 1, 'x')),
    fc.constant(Buffer.from('')),
    fc.constant(Buffer.from('  \r')),
  )
  const lengths = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), lengths, (lines, pieces) => {
      const bytes = Buffer.concat([...lines.flatMap((each) => [each, Buffer.from('\n')]), Buffer.from('the rest')])
      const expected = lines.flatMap((each) => {
        if (each.length > BYTES_MAX) return ['(too-long)']
        if (each.includes(0xff)) return ['(not-utf8)']
        const text = each.toString('utf8').trim()
        return text === '' ? [] : [text]
      })
      assert.deepEqual(read(bytes, pieces), expected)
    }),
  )
})

test('a line of the greatest length is a line, whatever comes after it', { timeout }, () => {
  const longest = 'x'.repeat(BYTES_MAX)
  assert.deepEqual(read(Buffer.from(`${longest}\n${longest}y\nz\n`), [7]), [longest, '(too-long)', 'z'])
})

test('the last line of a pipe that ended needs no newline', { timeout }, () => {
  const longest = 'x'.repeat(BYTES_MAX)
  assert.deepEqual(read(Buffer.from('one\ntwo'), [2], true), ['one', 'two'])
  assert.deepEqual(read(Buffer.from(`one\n${longest}y`), [7], true), ['one', '(too-long)'])
  for (const nothing of ['one\n', 'one\n \r']) assert.deepEqual(read(Buffer.from(nothing), [3], true), ['one'])
})
