// The Bearer scheme as RFC 6750 has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { challenge, readBearer } from '../../../src/oauth/bearer.ts'

const timeout = 10_000

test('a bearer token is read whatever the case of its scheme', { timeout }, () => {
  for (const header of ['Bearer abc.DEF-1~+/==', 'bearer abc.DEF-1~+/==', 'BEARER   abc.DEF-1~+/==']) {
    assert.equal(readBearer(header), 'abc.DEF-1~+/==')
  }
})

test('no header and another scheme are no credentials at all', { timeout }, () => {
  for (const header of [undefined, '', 'Basic dXNlcjpwYXNz', 'Bearerx abc', 'abc'])
    assert.equal(readBearer(header), undefined, header)
})

test('a bearer credential that cannot be a token is a bad one', { timeout }, () => {
  for (const header of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer "a"', 'Bearer a,b', `Bearer ${'a'.repeat(5000)}`]) {
    assert.equal(readBearer(header), null, header)
  }
})

test('a challenge names an error only when credentials came', { timeout }, () => {
  assert.equal(challenge(), 'Bearer realm="crow"')
  assert.equal(challenge({ error: 'invalid_token' }), 'Bearer realm="crow", error="invalid_token"')
})
