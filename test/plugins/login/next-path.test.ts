import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownPath } from '../../../plugins/login/next-path.ts'

const timeout = 20_000

test('whatever is taken for a path of ours is one for a browser too', { timeout }, () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    ':',
    '@',
    'http:',
    'evil.example',
    '%2f',
    '%5c',
    '?',
    '#',
    'a',
    '\t',
    '\n',
    ' ',
    ';',
    '&',
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (written) => {
      const path = ownPath(written)
      if (path === undefined) return
      for (const base of ['https://crow.example/login', 'http://127.0.0.1:3001/gate/login']) {
        const target = new URL(path, base)
        assert.equal(target.origin, new URL(base).origin)
        assert.equal(target.pathname + target.search, path)
      }
    }),
    { numRuns: 2000 },
  )
})

test('what is no text, too long, or leads back to the login is none', { timeout }, () => {
  for (const written of [
    undefined,
    null,
    7,
    ['/a'],
    {},
    '',
    'a',
    '//a',
    '/login',
    '/login?next=/a',
    '/logout',
    '/setup/',
    `/${'a'.repeat(3000)}`,
  ])
    assert.equal(ownPath(written), undefined)
  assert.equal(ownPath('/interaction/a-b_c?x=1&y=%20'), '/interaction/a-b_c?x=1&y=%20')
  assert.equal(ownPath('/loginx'), '/loginx')
})
