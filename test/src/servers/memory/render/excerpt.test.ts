import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { excerpt, preview } from '../../../../../src/servers/memory/render/excerpt.ts'

const timeout = 10_000

test('text that fits is left whole', { timeout }, () => {
  assert.deepEqual(excerpt('short', 'anything', 10), { text: 'short', cut: false })
})

test('the window holds the words of the question, however far in they are', { timeout }, () => {
  const text = `${'filler '.repeat(500)}the deploy key was rotated${' filler'.repeat(500)}`
  const found = excerpt(text, 'who is rotating the deploy keys?', 200)
  assert.equal(found.cut, true)
  assert.match(found.text, /deploy key was rotated/)
  assert.match(found.text, /^… .* …$/s)
})

test('a window with more different words wins over one with many repeats', { timeout }, () => {
  const text = `${'key '.repeat(60)}${'filler '.repeat(100)}deploy key rotation${' filler'.repeat(100)}`
  assert.match(excerpt(text, 'deploy key rotation', 120).text, /deploy key rotation/)
})

test('an excerpt keeps to its size and never halves a character', { timeout }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 30 }), (text, question) => {
      const { text: shown } = excerpt(text, question, 50)
      assert.ok(shown.length <= 54)
      assert.ok(shown.isWellFormed())
      assert.ok(preview(text, 20).isWellFormed())
      assert.ok(preview(text, 20).length <= 20)
    }),
  )
})

test('regular expression characters in a question are only characters', { timeout }, () => {
  assert.doesNotThrow(() => excerpt('x'.repeat(100), '(.*)+[', 10))
})

test('in a script without spaces the window is around the words of the question too', { timeout }, () => {
  const filler = '今日は天気が良いので散歩に行きました。'.repeat(60)
  const text = `${filler}配備鍵は毎月更新されます。${filler}`
  assert.match(excerpt(text, '配備鍵の更新はいつですか', 120).text, /配備鍵は毎月更新/)
  const mixed = `${'filler '.repeat(200)}Redisの設定を変更した${' filler'.repeat(200)}`
  assert.match(excerpt(mixed, '設定', 120).text, /Redisの設定/)
  const thai = `${'วันนี้อากาศดี '.repeat(80)}กุญแจสำรองอยู่ในลิ้นชัก${' วันนี้อากาศดี'.repeat(80)}`
  assert.match(excerpt(thai, 'กุญแจสำรอง', 120).text, /กุญแจสำรอง/)
})
