// One member is changed in a text that people wrote; comments and everything else stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainJson } from '../../../src/clients/json-comments.ts'
import { withMember } from '../../../src/clients/json-edit.ts'

const timeout = 20_000

const TEXT = `// mine
{
  "keep": 12345678901234567890, // a number no double holds
  "mcpServers": {
    /* the first */
    "a": { "command": "x" }, // why
    "b": {
      "command": "// no comment",
      "args": ["/*", "a,]",],
    },
  },
}
`

test('plain JSON is as long as what it was made of, and says the same', { timeout }, () => {
  const plain = plainJson(TEXT)
  assert.equal(plain.length, TEXT.length)
  assert.deepEqual(JSON.parse(plain).mcpServers.b, { command: '// no comment', args: ['/*', 'a,]'] })
  for (const text of ['/* no end', '// no end', '"no end', '{"a": "//"}', '\uFEFF{}'])
    assert.equal(plainJson(text).length, text.length)
})

test('members are set, added and taken away among comments', { timeout }, () => {
  const set = withMember(TEXT, ['mcpServers', 'b', 'disabled'], true)
  assert.equal(set, TEXT.replace('"a,]",],', '"a,]",],\n      "disabled": true,'))
  const added = withMember(TEXT, ['mcpServers', 'c'], { url: 'u' })
  assert.match(added, /"a,\]",\],\n {4}\},\n {4}"c": \{\n {6}"url": "u"\n {4}\},\n {2}\},\n\}\n$/)
  const first = withMember(TEXT, ['mcpServers', 'a'], undefined)
  assert.match(first, /\/\* the first \*\/\n {4}"b": \{/)
  const last = withMember(TEXT, ['mcpServers', 'b'], undefined)
  assert.match(last, /"a": \{ "command": "x" \},\n {2}\},\n\}\n$/)
  assert.equal(withMember(TEXT, ['mcpServers', 'none'], undefined), TEXT)
  assert.equal(withMember(TEXT, ['none', 'none'], undefined), TEXT)
  assert.match(withMember('{ // nothing yet\n}', ['mcpServers', 'a'], 1), /nothing yet/)
  assert.equal(withMember('', ['a', 'b'], 1), '{\n  "a": {\n    "b": 1\n  }\n}\n')
  assert.equal(withMember('{"mcpServers": null}', ['mcpServers', 'a'], 1), '{"mcpServers": {\n    "a": 1\n  }}')
})

const KEYS = ['a', 'b', 'c', '"', '//', '/*', '}']
const blanks = fc.constantFrom('', ' ', '\n', '// c }{"\n', '/* , ] */', '\r\n  ')
const member = fc.tuple(
  fc.constantFrom(...KEYS),
  fc.oneof(fc.constantFrom(...KEYS), fc.integer(), fc.constant({ x: [1] })),
  blanks,
)

/** An object as somebody might write it. */
const objectText = (members: readonly (readonly [string, unknown, string])[], comma: boolean): string =>
  `{${members.map(([key, value, blank]) => `${blank}${JSON.stringify(key)}${blank}:${blank}${JSON.stringify(value)}${blank}`).join(',')}${comma && members.length > 0 ? ',' : ''}\n}`

test('whatever is written how, the change is the change and nothing else', { timeout }, () => {
  const text = fc.tuple(fc.uniqueArray(member, { selector: ([key]) => key }), blanks, fc.boolean())
  const value = fc.option(fc.oneof(fc.integer(), fc.constant({ y: ['//'] })), { nil: undefined })
  fc.assert(
    fc.property(text, fc.constantFrom(...KEYS), value, ([members, blank, comma], key, put) => {
      const before = `${blank}{"first": 1,${blank}"in":${blank}${objectText(members, comma)}${blank}}`
      const after = JSON.parse(plainJson(withMember(before, ['in', key], put)))
      const expected: Record<string, unknown> = Object.fromEntries(members.map(([name, known]) => [name, known]))
      if (put === undefined) delete expected[key]
      else expected[key] = put
      assert.deepEqual(after, { first: 1, in: expected })
    }),
    { numRuns: 2_000 },
  )
})
