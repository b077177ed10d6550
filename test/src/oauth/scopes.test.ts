import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScopes, permits, scopesOf, splitScopes, unknownScopes } from '../../../src/oauth/scopes.ts'

const timeout = 10_000

const servers = [{ id: 'memory', title: 'Memory' }, { id: 'storage' }]

test('a server is a scope, and so is reading on it', { timeout }, () => {
  assert.deepEqual(scopesOf(servers), ['memory', 'memory:read', 'storage', 'storage:read'])
  const scopes = createScopes(servers)
  assert.deepEqual(scopes.offered('storage'), ['storage', 'storage:read'])
  assert.deepEqual(scopes.offered('all'), scopes.all)
  assert.deepEqual(scopes.offered('nothing'), [])
  assert.equal(scopes.sentenceOf('memory:read'), 'Read what is in Memory, and change nothing.')
  assert.equal(scopes.nameOf('storage'), 'storage')
})

test('a server covers reading on it, and reading covers nothing else', { timeout }, () => {
  assert.ok(permits(new Set(['memory']), 'memory', 'read'))
  assert.ok(permits(new Set(['memory']), 'memory', 'destroy'))
  assert.ok(permits(new Set(['memory:read']), 'memory', 'read'))
  assert.ok(!permits(new Set(['memory:read']), 'memory', 'write'))
  assert.ok(!permits(new Set(['memory']), 'storage', 'read'))
  assert.ok(permits('all', 'storage', 'destroy'))
})

test('a scope parameter is a list of names, each once', { timeout }, () => {
  assert.deepEqual(splitScopes(' a  b a '), ['a', 'b'])
  assert.deepEqual(splitScopes(null), [])
  assert.deepEqual(unknownScopes(['memory', 'x', 'offline_access'], ['memory']), ['x'])
})
