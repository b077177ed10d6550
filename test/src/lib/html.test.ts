import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html, raw } from '../../../src/lib/html.ts'

const timeout = 20_000
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#96;': '`',
}
const decoded = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, (entity) => ENTITIES[entity] ?? '?')

test('whatever stands in a template is text again when it is read, and never markup', { timeout }, () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '`', '&', '=', '/', 's', 'c', ';', '#') }),
  )
  fc.assert(
    fc.property(nasty, (text) => {
      const inside = html`${text}`.toString()
      assert.doesNotMatch(inside, /[<>"'`]/)
      assert.equal(decoded(inside), text)
      assert.equal(html`<a title="${text}">${text}</a>`.toString(), `<a title="${inside}">${inside}</a>`)
      assert.equal(html`${[text, html`<b>${text}</b>`]}`.toString(), `${inside}<b>${inside}</b>`)
    }),
    { numRuns: 300 },
  )
})

test('HTML goes in as it is, nothing as nothing, a number as itself', { timeout }, () => {
  assert.equal(
    html`a${false}${null}${undefined}${[]}${0}${html`<i>${'<'}</i>`}${raw('<hr>')}`.toString(),
    'a0<i>&lt;</i><hr>',
  )
})

test('what only looks like HTML is escaped', { timeout }, () => {
  const looksLike = Object.assign(Object.create(null), { toString: () => '<script>' })
  assert.equal(html`${[String(looksLike)]}`.toString(), '&lt;script&gt;')
})
