import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeXml, escapeXmlAttribute } from '../../../src/lib/xml.ts'

test('text keeps its quotes, attributes escape them', { timeout: 5000 }, () => {
  assert.equal(escapeXml(`<a b="c">&amp;</a>`), '&lt;a b="c"&gt;&amp;amp;&lt;/a&gt;')
  assert.equal(escapeXmlAttribute(`"'<&>`), '&quot;&apos;&lt;&amp;&gt;')
})
